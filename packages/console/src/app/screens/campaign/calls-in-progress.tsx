import { useState } from 'preact/hooks';
import { api, ok } from '../../data/api.ts';
import type { Call } from '../../data/calls.ts';
import { attemptOf, eventsOf } from '../../data/calls.ts';
import { useSession } from '../../data/session.ts';
import { useAction } from '../../ui/use-action.ts';
import { Button, Empty, Fault, Placeholder, Table } from '../../ui/basics.tsx';
import { missingNumber } from '../../data/call-number.ts';
import { duration } from '../../words/dates.ts';
import { callStatusWords } from '../../words/outcomes.ts';

/** The calls in progress with their durations, each with a link and a button to end it. */
export function CallsInProgress({ calls, asOf }: { calls: Call[] | null; asOf: string }) {
  const { may } = useSession();
  const [ended, setEnded] = useState<readonly string[]>([]);
  const hangUp = useAction(async (callId: string) => {
    await ok(api.POST('/api/v1/calls/{call_id}/hang-up', { params: { path: { call_id: callId } } }));
    setEnded((list) => [...list, callId]);
    return 'Ending the call';
  });
  if (calls === null) return <Placeholder lines={3} />;
  if (calls.length === 0) {
    return (
      <Empty icon="phone" title="No calls in progress">
        <p>Calls appear here as they are made.</p>
      </Empty>
    );
  }
  return (
    <>
      <Fault text={hangUp.fault} />
      <Table
        caption="Calls in progress"
        head={['Number', 'State', 'Attempt', { text: 'For', number: true }, '']}
      >
        {calls.map((call) => (
          <tr key={call.id}>
            <td>
              <a href={`/console/calls/${call.id}`} class="mono">
                {call.phone_number ?? missingNumber(call)}
              </a>
            </td>
            <td>{callStatusWords[call.status ?? 'init']}</td>
            <td>{attemptOf(call)}</td>
            <td class="number">{sinceOf(call, asOf)}</td>
            <td class="tight">
              {may('member') && call.id !== null && (
                <Button
                  kind="quiet"
                  disabled={ended.includes(call.id)}
                  onClick={() => call.id !== null && hangUp.run(call.id)}
                  label={`Hang up ${call.phone_number ?? ''}`}
                >
                  Hang up
                </Button>
              )}
            </td>
          </tr>
        ))}
      </Table>
    </>
  );
}

function sinceOf(call: Call, asOf: string): string {
  const answered = eventsOf(call).find(({ type }) => type === 'answered')?.at ?? call.created_at;
  return answered === null ? '' : duration((Date.parse(asOf) - Date.parse(answered)) / 1_000);
}
