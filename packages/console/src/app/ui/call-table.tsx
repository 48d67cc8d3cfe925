import type { Call } from '../data/calls.ts';
import { missingNumber } from '../data/call-number.ts';
import { dateAndTime, duration } from '../words/dates.ts';
import { callStatusWords, outcomeColour, outcomeOf, outcomeText } from '../words/outcomes.ts';
import { Table } from './basics.tsx';

export function CallTable(props: {
  caption: string;
  calls: readonly Call[];
  timeZone: string;
  withNumber?: boolean;
}) {
  const { caption, calls, timeZone, withNumber = true } = props;
  return (
    <Table
      caption={caption}
      head={[
        'When',
        ...(withNumber ? ['Number'] : []),
        'How it ended',
        { text: 'Conversation', number: true as const },
        'Tags',
      ]}
    >
      {calls.map((call) => {
        const outcome = outcomeOf(call);
        return (
          <tr key={call.id}>
            <td class="when">
              <a href={`/console/calls/${call.id}`}>
                {call.created_at === null ? 'The call' : dateAndTime(call.created_at, { timeZone })}
              </a>
            </td>
            {withNumber && (
              <td class="mono">
                {call.phone_number === null ? (
                  <span class="muted">{missingNumber(call)}</span>
                ) : (
                  <a href={`/console/people/${encodeURIComponent(call.phone_number)}`}>{call.phone_number}</a>
                )}
              </td>
            )}
            <td>
              {outcome === null ? (
                callStatusWords[call.status ?? 'init']
              ) : (
                <span class="dotted">
                  <span class={`dot c-${outcomeColour(outcome)}`} />
                  {outcomeText(outcome)}
                </span>
              )}
            </td>
            <td class="number">{duration(call.duration ?? 0)}</td>
            <td>{(call.tags ?? []).map(({ name }) => name).join(', ')}</td>
          </tr>
        );
      })}
    </Table>
  );
}
