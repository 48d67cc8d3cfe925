import { useState } from 'preact/hooks';
import { api, ok, type Schemas } from '../../data/api.ts';
import type { ListedCampaign } from '../../data/campaigns.ts';
import { useSession } from '../../data/session.ts';
import { useAction } from '../../ui/use-action.ts';
import { useList } from '../../data/use-list.ts';
import { Button, Card, Empty, Fault, Fact, Loaded } from '../../ui/basics.tsx';
import { Choice, TextField } from '../../ui/fields.tsx';
import { ListTable } from '../../ui/list-table.tsx';
import { ownTimeZone, whenInWords } from '../../words/dates.ts';
import { outcomeText, retryOutcomes, stateOrder, stateWords } from '../../words/outcomes.ts';
import { isPhoneNumber, plainNumber } from '../../words/phone-number.ts';
import { useData } from '../../data/use-data.ts';
import { Conditions } from '../../ui/conditions.tsx';
import { Dialog } from '../../ui/dialog.tsx';

type State = (typeof stateOrder)[number];
type Recipient = Schemas['Recipient'];

/** The people on the list, by state or number; unreached ones can get another round. */
export function CampaignPeople({ found: { campaign, progress } }: { found: ListedCampaign }) {
  const [state, setState] = useState<State | ''>('');
  const [phone, setPhone] = useState('');
  const [asked, setAsked] = useState<Recipient | null>(null);
  const number = plainNumber(phone);
  const isNumber = isPhoneNumber(number);
  const people = useList<Recipient>(
    (after) =>
      api.GET('/api/v1/campaigns/{campaign_id}/recipients', {
        params: {
          path: { campaign_id: campaign.id },
          query: {
            limit: 50,
            ...(state !== '' && { state }),
            ...(isNumber && { phone_number: number }),
            ...after,
          },
        },
      }),
    [campaign.id, state, isNumber ? number : ''],
  );
  return (
    <Card
      title="People"
      flush
      aside={
        <OneMoreRound
          campaignId={campaign.id}
          unreached={progress.recipients.unreached}
          onDone={people.reload}
        />
      }
    >
      <div class="filters">
        <Choice<State | ''>
          label="State"
          value={state}
          onChange={setState}
          options={[
            { value: '', text: 'All' },
            ...stateOrder.map((value) => ({ value, text: stateWords[value] ?? value })),
          ]}
        />
        <TextField label="Number" type="tel" value={phone} onInput={setPhone} placeholder="+15551230000" />
      </div>
      <ListTable
        of={people}
        lines={6}
        caption="People of the campaign"
        head={['Number', 'State', 'Last call', 'Calls', 'Next call', '']}
        empty={<Empty icon="people" title="No people" />}
      >
        {(person) => (
          <tr key={person.id}>
            <td>
              <a class="mono" href={`/console/people/${encodeURIComponent(person.phone_number)}`}>
                {person.phone_number}
              </a>
            </td>
            <td>
              <span class="dotted">
                <span class={`dot c-${person.state}`} />
                {stateWords[person.state]}
              </span>
            </td>
            <td>
              {person.last_call_id === null ? (
                <span class="muted">none</span>
              ) : (
                <a href={`/console/calls/${person.last_call_id}`}>
                  {person.last_outcome === null ? 'in progress' : outcomeText(person.last_outcome)}
                </a>
              )}
            </td>
            <td>{person.attempts}</td>
            <td>
              {person.next_attempt_at === null ? '' : nextOf(person, person.next_attempt_at, progress.as_of)}
            </td>
            <td>
              {person.state !== 'reached' && (
                <Button label={`Why ${person.phone_number} is not called`} onClick={() => setAsked(person)}>
                  Why?
                </Button>
              )}
            </td>
          </tr>
        )}
      </ListTable>
      {asked !== null && (
        <WhyNotCalled campaignId={campaign.id} person={asked} onClose={() => setAsked(null)} />
      )}
    </Card>
  );
}

function nextOf(person: Recipient, at: string, asOf: string): string {
  return whenInWords(at, { timeZone: person.timezone }, { now: new Date(asOf), timeZone: ownTimeZone() });
}

/** Calls people again who were not reached. */
function OneMoreRound(props: { campaignId: string; unreached: number; onDone: () => void }) {
  const { campaignId, unreached, onDone } = props;
  const { may } = useSession();
  const again = useAction(async () => {
    const { data } = await ok(
      api.POST('/api/v1/campaigns/{campaign_id}/recipients/retry', {
        params: { path: { campaign_id: campaignId } },
        body: { outcomes: retryOutcomes.filter((outcome) => outcome !== 'unknown') },
      }),
    );
    onDone();
    return data.status === 'paused'
      ? `${data.retried} people get another round: resume the campaign to call them`
      : `${data.retried} people will be called again`;
  });
  if (!may('manager') || unreached === 0) return null;
  return (
    <>
      <Button icon="again" busy={again.busy} onClick={() => again.run()}>
        Call the {unreached} not reached again
      </Button>
      <Fault text={again.fault} />
    </>
  );
}

type Explanation = Schemas['RecipientExplanation'];

/** Why a person is not called now, when they may be, and what was refused before. */
function WhyNotCalled(props: { campaignId: string; person: Recipient; onClose: () => void }) {
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
