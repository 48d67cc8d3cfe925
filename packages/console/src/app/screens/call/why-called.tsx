import { api, ok, type Schemas } from '../../data/api.ts';
import { useData } from '../../data/use-data.ts';
import { Card, Fact, Loaded } from '../../ui/basics.tsx';
import { Conditions } from '../../ui/conditions.tsx';
import { dateAndTime, dateOnly } from '../../words/dates.ts';

type Receipt = Schemas['Receipt'];

/** The receipt of a call in words: when and by what it was allowed, or why it was never placed. */
export function WhyCalled({ callId, timeZone }: { callId: string; timeZone: string }) {
  const receipt = useData(
    async () =>
      (await ok(api.GET('/api/v1/calls/{call_id}/receipt', { params: { path: { call_id: callId } } }))).data,
    [callId],
  );
  return (
    <Card title="Why it was called">
      <Loaded of={receipt} lines={4}>
        {(found) => <Words receipt={found} timeZone={timeZone} />}
      </Loaded>
    </Card>
  );
}

function Words({ receipt, timeZone }: { receipt: Receipt; timeZone: string }) {
  const { decision, decided_at: at, conditions } = receipt;
  if (decision === 'waiting') return <p>The call waits for a line. It is checked before it is placed.</p>;
  if (decision === 'not_dialed') {
    const [failed] = conditions;
    return (
      <p>
        It was never placed.
        {failed === undefined ? '' : ` This did not hold: ${failed.text}`}
      </p>
    );
  }
  return (
    <>
      <dl class="facts">
        {at !== null && <Fact name="Allowed" value={dateAndTime(at, { timeZone })} />}
        {factsOf(receipt, timeZone).map(([name, value]) => (
          <Fact key={name} name={name} value={value} />
        ))}
      </dl>
      <details class="prompt-details">
        <summary>What was checked and held</summary>
        <Conditions of={conditions} that="holds" />
      </details>
    </>
  );
}

function factsOf(receipt: Receipt, timeZone: string): Array<[name: string, value: string]> {
  const { grounds, person, consent, scrub_lists: lists, attestation, disclosure, recording } = receipt;
  const zones = grounds?.zones.map(({ zone, local_time: at }) => `${at.slice(11, 16)} in ${zone}`) ?? [];
  const rules = grounds?.rules.map(({ name, citation }) => `${name} (${citation})`) ?? [];
  const caps = person?.calls.map(({ calls, hours, made }) => `${made} of ${calls} in ${hours} hours`) ?? [];
  const facts: Array<[string, string | null | undefined]> = [
    ['Time of the person', zones.join(', ')],
    ['Rules', rules.join('; ')],
    ['Earlier calls', caps.join(', ')],
    ['Consent', consent && `${consent.source}, ${dateOnly(consent.given_at, { timeZone })}`],
    ['Scrub lists', lists?.map(({ name }) => name).join(', ')],
    ['Attestation', attestation],
    ['Disclosure', disclosure && (disclosure.heard_at === null ? 'no report that it was heard' : 'heard')],
    ['Recording', recording],
  ];
  return facts.flatMap(([name, value]) => (value ? [[name, value]] : []));
}
