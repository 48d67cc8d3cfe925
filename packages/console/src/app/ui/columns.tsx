import type { Counted } from '../plots/call-results.ts';

const compactNumber = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

/** Columns of calls with the share that was reached. A table has the numbers for screen readers. */
export function Columns({
  label,
  columns,
}: {
  label: string;
  /** An unmarked column has no label. */
  columns: ReadonlyArray<Counted & { text: string; isMarked: boolean }>;
}) {
  const most = Math.max(1, ...columns.map(({ calls }) => calls));
  return (
    <>
      <div class="columns" aria-hidden="true">
        {columns.map(({ text, isMarked, calls, reached }) => (
          <span key={text} class="column">
            <span class="column-room">
              {calls > 0 && <small class="column-number">{compactNumber.format(calls)}</small>}
              <span class="column-bar" style={{ height: `${(calls / most) * 100}%` }}>
                <span style={{ height: `${calls === 0 ? 0 : (reached / calls) * 100}%` }} />
              </span>
            </span>
            <small class="column-text">{isMarked && text}</small>
          </span>
        ))}
      </div>
      <table class="hidden">
        <caption>{label}</caption>
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">Calls</th>
            <th scope="col">Reached</th>
          </tr>
        </thead>
        <tbody>
          {columns
            .filter(({ calls }) => calls > 0)
            .map(({ text, calls, reached }) => (
              <tr key={text}>
                <th scope="row">{text}</th>
                <td>{calls}</td>
                <td>{reached}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </>
  );
}
