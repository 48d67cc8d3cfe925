import { useState } from 'preact/hooks';
import { api, ok, type Schemas } from '../../data/api.ts';
import { useAction } from '../../ui/use-action.ts';
import { useData } from '../../data/use-data.ts';
import { Button, Fault } from '../../ui/basics.tsx';
import { TextField } from '../../ui/fields.tsx';
import { Form } from '../../ui/form.tsx';
import { callStatusWords, outcomeOf, outcomeText } from '../../words/outcomes.ts';
import { endsWithStop } from '../../words/errors.ts';
import { plainNumber } from '../../words/phone-number.ts';

interface Props {
  agentId: string;
  values: Readonly<Record<string, string>>;
}

/** Calls the user themselves, with the values of the row that is shown. */
export function CallMeFirst({ agentId, values }: Props) {
  const [phone, setPhone] = useState('');
  const [callId, setCallId] = useState<string | null>(null);
  const [warnings, setWarnings] = useState<ReadonlyArray<Schemas['Warning']>>([]);
  const call = useAction(async () => {
    const { data, meta } = await ok(
      api.POST('/api/v1/agents/{agent_id}/call', {
        params: { path: { agent_id: agentId } },
        body: {
          to_phone: plainNumber(phone),
          prompt_params: values,
          meta: { purpose: 'call me first' },
        },
      }),
    );
    setCallId(data.id);
    setWarnings(meta.warnings ?? []);
  });
  return (
    <Form class="call-me" onSend={call.run}>
      <div class="line ends">
        <TextField
          label="Call me first"
          type="tel"
          value={phone}
          onInput={setPhone}
          placeholder="+15551230000"
          autocomplete="tel"
          required
        />
        <Button type="submit" icon="phone" busy={call.busy}>
          Call me
        </Button>
      </div>
      <p class="hint">
        {Object.keys(values).length === 0
          ? 'Your own number, with + and the country code. You hear the agent without a person’s values.'
          : 'Your own number, with + and the country code. You get the same call as the person in this row.'}
      </p>
      <Fault text={call.fault} />
      {warnings.map(({ msg }) => (
        <p key={msg} class="hint">
          {endsWithStop(msg)}
        </p>
      ))}
      {callId !== null && <CallState key={callId} callId={callId} />}
    </Form>
  );
}

const lookMs = 1_500;

function CallState({ callId }: { callId: string }) {
  const [isOver, setOver] = useState(false);
  const call = useData<Schemas['Call']>(
    async () => {
      const { data } = await ok(
        api.GET('/api/v1/calls/{call_id}', { params: { path: { call_id: callId } } }),
      );
      setOver(data.status !== 'init' && data.status !== 'start');
      return data;
    },
    [callId],
    { everyMs: isOver ? 0 : lookMs },
  );
  if (call.now.state !== 'loaded') return null;
  const found = call.now.value;
  const outcome = outcomeOf(found);
  const words = outcome === null ? callStatusWords[found.status ?? 'init'] : `Ended: ${outcomeText(outcome)}`;
  return (
    <p role="status" class="line">
      <strong>{words}</strong>
      <a href={`/console/calls/${callId}`} target="_blank" rel="noopener">
        Open the call
      </a>
    </p>
  );
}
