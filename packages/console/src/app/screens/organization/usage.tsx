import { api, type Schemas } from '../../data/api.ts';
import { useList } from '../../data/use-list.ts';
import { Card, Empty, Fact, Loaded } from '../../ui/basics.tsx';
import { Columns } from '../../ui/columns.tsx';
import { ListTable } from '../../ui/list-table.tsx';
import { wholeNumber } from '../../words/dates.ts';

type Usage = Schemas['Usage'];

export function UsageOfDays() {
  const days = useList<Usage>(
    (after) =>
      api.GET('/api/v1/usage', {
        params: { query: { by: 'day', limit: 31, ...after } },
      }),
    [],
  );
  return (
    <>
      <Card title="Last 30 days" aside={<span class="muted">calls, with the share that was reached</span>}>
        <Loaded of={days} lines={4}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty icon="phone" title="No calls in the last 30 days" />
            ) : (
              <ThirtyDays days={items} />
            )
          }
        </Loaded>
      </Card>
      <Card title="By day" flush>
        <ListTable
          of={days}
          lines={5}
          caption="Usage by day"
          stacks={false}
          head={[
            'Day',
            { text: 'Calls', number: true },
            { text: 'Reached', number: true },
            { text: 'Minutes', number: true },
            { text: 'Cost', number: true },
          ]}
          empty={<p class="card-note">No calls yet.</p>}
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
    </>
  );
}

const dayMs = 86_400_000;

/** The sums, and a column for each day until the newest, with calls or without. */
function ThirtyDays({ days }: { days: readonly Usage[] }) {
  const sum = (of: (usage: Usage) => number) => days.reduce((total, usage) => total + of(usage), 0);
  const reachedOf = ({ outcomes }: Usage) => outcomes['completed'] ?? 0;
  const known = new Map(days.map((usage) => [usage.day, usage]));
  const newest =
    days
      .flatMap(({ day }) => day ?? [])
      .toSorted((one, other) => one.localeCompare(other))
      .at(-1) ?? '';
  const columns = Array.from({ length: 30 }, (_, at) => {
    const day = new Date(Date.parse(`${newest}T00:00:00Z`) - (29 - at) * dayMs);
    const usage = known.get(day.toISOString().slice(0, 10));
    return {
      text: shortDay.format(day),
      // A week apart, back from the newest.
      isMarked: (29 - at) % 7 === 0,
      calls: usage?.calls ?? 0,
      reached: usage === undefined ? 0 : reachedOf(usage),
    };
  });
  return (
    <>
      <dl class="facts sums">
        <Fact big name="Calls" value={wholeNumber(sum(({ calls }) => calls))} />
        <Fact big name="Reached" value={wholeNumber(sum(reachedOf))} />
        <Fact big name="Minutes" value={wholeNumber(Math.round(sum(({ minutes }) => minutes)))} />
        <Fact big name="Cost" value={sum(({ cost }) => cost).toFixed(2)} />
      </dl>
      <Columns label="Calls by day" columns={columns} />
    </>
  );
}

const shortDay = new Intl.DateTimeFormat(undefined, { timeZone: 'UTC', day: 'numeric', month: 'numeric' });

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
