import { api, type Schemas } from '../../data/api.ts';
import { useList } from '../../data/use-list.ts';
import { Card, Empty } from '../../ui/basics.tsx';
import { ListTable } from '../../ui/list-table.tsx';
import { wholeNumber } from '../../words/dates.ts';

type Usage = Schemas['Usage'];

/** Calls, minutes and cost by day, of the last thirty days. */
export function UsageOfDays() {
  const days = useList<Usage>(
    (after) =>
      api.GET('/api/v1/usage', {
        params: { query: { by: 'day', limit: 31, ...after } },
      }),
    [],
  );
  return (
    <Card title="Last thirty days" flush>
      <ListTable
        of={days}
        lines={5}
        caption="Usage by day"
        head={[
          'Day',
          { text: 'Calls', number: true },
          { text: 'Reached', number: true },
          { text: 'Minutes', number: true },
          { text: 'Cost', number: true },
        ]}
        empty={<Empty icon="phone" title="No calls in the last thirty days" />}
      >
        {({ day, calls, minutes, cost, outcomes }) => (
          <tr key={day}>
            <td>{day === undefined ? '' : dayInWords(day)}</td>
            <td class="number">{wholeNumber(calls)}</td>
            <td class="number">{wholeNumber(outcomes['completed'] ?? 0)}</td>
            <td class="number">{minutes.toFixed(1)}</td>
            <td class="number">{cost.toFixed(2)}</td>
          </tr>
        )}
      </ListTable>
    </Card>
  );
}

/** A day is a date without a zone. */
function dayInWords(day: string): string {
  const format = new Intl.DateTimeFormat(undefined, {
    timeZone: 'UTC',
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  });
  return format.format(new Date(`${day}T00:00:00Z`));
}
