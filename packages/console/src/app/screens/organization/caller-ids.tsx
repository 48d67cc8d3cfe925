import { useState } from 'preact/hooks';
import { api, ok, type Schemas } from '../../data/api.ts';
import { useSession } from '../../data/session.ts';
import { useAction } from '../../ui/use-action.ts';
import { useList } from '../../data/use-list.ts';
import { Badge, Button, Card, Empty, Fault } from '../../ui/basics.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/fields.tsx';
import { Form, Send } from '../../ui/form.tsx';
import { ListTable } from '../../ui/list-table.tsx';
import { dateAndTime, wholeNumber } from '../../words/dates.ts';
import { plainNumber } from '../../words/phone-number.ts';

type CallerId = Schemas['CallerId'];
type State = CallerId['state'];

const states = {
  pending: { tone: 'waiting', text: 'Not confirmed' },
  active: { tone: 'live', text: 'Calls' },
  resting: { tone: 'waiting', text: 'Rests' },
  retired: { tone: 'idle', text: 'Retired' },
} as const satisfies Record<State, object>;

const reasons: Readonly<Record<string, string>> = {
  answer_rate: 'hardly anyone answered',
  short_calls: 'people hung up at once',
};

const done: Record<Exclude<State, 'pending'>, string> = {
  active: 'The number is in use again',
  resting: 'No more calls are placed from the number',
  retired: 'The number was retired',
};

export function CallerIds() {
  const { may } = useSession();
  const list = useList<CallerId>(
    (after) => api.GET('/api/v1/caller-ids', { params: { query: { limit: 50, ...after } } }),
    [],
  );
  const [ending, setEnding] = useState<{ callerId: CallerId; how: 'retire' | 'delete' } | null>(null);
  const change = useAction(async (id: string, to: keyof typeof done | 'delete') => {
    const params = { path: { caller_id: id } };
    setEnding(null);
    await (to === 'delete'
      ? ok(api.DELETE('/api/v1/caller-ids/{caller_id}', { params }))
      : ok(api.PUT('/api/v1/caller-ids/{caller_id}', { params, body: { state: to } })));
    list.reload();
    return to === 'delete' ? 'The number was deleted' : done[to];
  });
  return (
    <div class="stack">
      {may('manager') && <AddCallerId onAdded={list.reload} />}
      <Card title="Caller ids" flush>
        <Fault text={change.fault} />
        <ListTable
          of={list}
          lines={4}
          caption="Numbers from which calls are placed"
          head={['Number', 'Country', 'Calls today', 'This hour', 'State', '']}
          empty={
            <Empty icon="phone" title="No numbers of your own">
              <p>
                Calls are placed from the agents’ numbers. Once you add a number here, all calls are placed
                from the numbers in this list, as soon as the operator has confirmed that it is yours.
              </p>
            </Empty>
          }
        >
          {(callerId) => (
            <tr key={callerId.id}>
              <td class="mono">{callerId.phone_number}</td>
              <td>{callerId.country}</td>
              <td>{ofLimit(callerId.calls_last_day, callerId.calls_per_day)}</td>
              <td>{ofLimit(callerId.calls_last_hour, callerId.calls_per_hour)}</td>
              <td>
                <StateOf callerId={callerId} />
              </td>
              <td class="tight">
                {may('manager') && (
                  <Actions
                    callerId={callerId}
                    busy={change.busy}
                    onState={(to) => change.run(callerId.id, to)}
                    onEnd={(how) => setEnding({ callerId, how })}
                  />
                )}
              </td>
            </tr>
          )}
        </ListTable>
      </Card>
      {ending !== null && (
        <Confirm
          title={ending.how === 'retire' ? 'Retire this number?' : 'Delete this number?'}
          text={
            ending.how === 'retire'
              ? `No call will ever again be placed from ${ending.callerId.phone_number}.`
              : `${ending.callerId.phone_number} will be removed from the list. Without caller ids, calls are placed from the agents’ numbers.`
          }
          yes={ending.how === 'retire' ? 'Retire' : 'Delete'}
          busy={change.busy}
          onYes={() => change.run(ending.callerId.id, ending.how === 'retire' ? 'retired' : 'delete')}
          onClose={() => setEnding(null)}
        />
      )}
    </div>
  );
}

function ofLimit(calls: number, limit: number | null): string {
  return limit === null ? wholeNumber(calls) : `${wholeNumber(calls)} of ${wholeNumber(limit)}`;
}

function StateOf({
  callerId: { state, state_reason: reason, resting_until: until },
}: {
  callerId: CallerId;
}) {
  const { organization } = useSession();
  const why = [
    ...(reason === null ? [] : [reasons[reason] ?? reason]),
    ...(until === null ? [] : [`until ${dateAndTime(until, { timeZone: organization.timezone })}`]),
  ].join(', ');
  return (
    <>
      <Badge tone={states[state].tone}>{states[state].text}</Badge>
      {why !== '' && <span class="hint"> {why}</span>}
    </>
  );
}

function Actions({
  callerId: { state, phone_number: number },
  busy,
  onState,
  onEnd,
}: {
  callerId: CallerId;
  busy: boolean;
  onState: (to: keyof typeof done) => void;
  onEnd: (how: 'retire' | 'delete') => void;
}) {
  return (
    <span class="line">
      {state === 'active' && (
        <Button kind="quiet" busy={busy} label={`Rest ${number}`} onClick={() => onState('resting')}>
          Rest
        </Button>
      )}
      {state === 'resting' && (
        <Button
          kind="quiet"
          busy={busy}
          label={`Call again from ${number}`}
          onClick={() => onState('active')}
        >
          Call again
        </Button>
      )}
      {(state === 'active' || state === 'resting') && (
        <Button kind="quiet" busy={busy} label={`Retire ${number}`} onClick={() => onEnd('retire')}>
          Retire
        </Button>
      )}
      <Button kind="quiet" busy={busy} label={`Delete ${number}`} onClick={() => onEnd('delete')}>
        Delete
      </Button>
    </span>
  );
}

const fields = ['phone_number', 'calls_per_day', 'calls_per_hour', 'warm_up_days'];

function AddCallerId({ onAdded }: { onAdded: () => void }) {
  const [phone, setPhone] = useState('');
  const [perDay, setPerDay] = useState('100');
  const [perHour, setPerHour] = useState('');
  const [warmUp, setWarmUp] = useState('0');
  const add = useAction(async () => {
    const number = plainNumber(phone);
    await ok(
      api.POST('/api/v1/caller-ids', {
        body: {
          phone_number: number,
          agent_id: null,
          prefixes: [],
          attestation: null,
          calls_per_day: Number(perDay),
          calls_per_hour: perHour === '' ? null : Number(perHour),
          warm_up_days: Number(warmUp),
        },
      }),
    );
    setPhone('');
    onAdded();
    return `Calls can be placed from ${number} once the operator has confirmed that it is yours`;
  }, fields);
  return (
    <Card title="Add a caller id">
      <Form class="form" noValidate onSend={add.run}>
        <div class="row">
          <TextField
            label="Number"
            type="tel"
            value={phone}
            onInput={setPhone}
            placeholder="+15551230100"
            required
            fault={add.faults['phone_number']}
          />
          <TextField
            label="Calls per day"
            type="number"
            value={perDay}
            onInput={setPerDay}
            fault={add.faults['calls_per_day']}
          />
          <TextField
            label="Calls per hour"
            type="number"
            value={perHour}
            onInput={setPerHour}
            hint="Leave it empty for no limit."
            fault={add.faults['calls_per_hour']}
          />
          <TextField
            label="Warm-up days"
            type="number"
            value={warmUp}
            onInput={setWarmUp}
            hint="The number of calls per day grows in equal steps."
            fault={add.faults['warm_up_days']}
          />
        </div>
        <Send action={add} kind="main" icon="plus">
          Add
        </Send>
      </Form>
    </Card>
  );
}
