import { api, ok, type Schemas } from '../../data/api.ts';
import { useData } from '../../data/use-data.ts';
import { Fact, Loaded } from '../../ui/basics.tsx';
import { Conditions } from '../../ui/conditions.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ownTimeZone, whenInWords } from '../../words/dates.ts';

type Recipient = Schemas['Recipient'];
type Explanation = Schemas['RecipientExplanation'];

/** Why a person is not called now, when they may be, and what was refused before. */
export function WhyNotCalled(props: { campaignId: string; person: Recipient; onClose: () => void }) {
  const { campaignId, person, onClose } = props;
  const path = { campaign_id: campaignId, recipient_id: person.id };
  const explanation = useData(
    async () =>
      (
        await ok(
          api.GET('/api/v1/campaigns/{campaign_id}/recipients/{recipient_id}/explain', { params: { path } }),
        )
      ).data,
    [campaignId, person.id],
  );
  return (
    <Dialog title={person.phone_number} onClose={onClose}>
      <Loaded of={explanation} lines={4}>
        {(found) => <Words of={found} timeZone={person.timezone} />}
      </Loaded>
    </Dialog>
  );
}

function Words({ of, timeZone }: { of: Explanation; timeZone: string }) {
  const { conditions, refusals } = of;
  const when = (at: string | null) =>
    at === null ? null : whenInWords(at, { timeZone }, { now: new Date(of.as_of), timeZone: ownTimeZone() });
  const facts: Array<[string, string | null]> = [
    ['Next call', when(of.next_attempt_at)],
    ['Calling hours open', when(of.next_calling_hours_at)],
    ['Caps allow a call', when(of.person_free_at)],
    ['Refused before', refusals && `${refusals.total} times, the last ${when(refusals.last.at) ?? ''}`],
  ];
  return (
    <>
      {of.decision === 'would_dial' ? (
        <p>Nothing prevents a call now.</p>
      ) : (
        <>
          <p>Not called now, because this does not hold:</p>
          <Conditions of={conditions} that="fails" />
        </>
      )}
      <dl class="facts">
        {facts.map(([name, value]) => value !== null && <Fact key={name} name={name} value={value} />)}
      </dl>
    </>
  );
}
