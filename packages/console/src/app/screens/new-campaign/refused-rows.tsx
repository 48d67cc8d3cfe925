import { offerDownload, toCsv } from '../../sheets/csv.ts';
import type { Sheet } from '../../sheets/sheet.ts';
import { Button, Table } from '../../ui/basics.tsx';
import { Icon } from '../../ui/icon.tsx';
import { wholeNumber } from '../../words/dates.ts';
import type { CheckedList } from './send-draft.ts';

const shown = 8;

/** The accepted part of the list, and each refused row, to view and download. */
export function RefusedRows({ checked, sheet }: { checked: CheckedList; sheet: Sheet }) {
  const { taken, refused, refusal } = checked;
  function download(): void {
    const rowAt = new Map(sheet.lines.map((line, at) => [line, sheet.rows[at]]));
    const rows = refused.map(({ line, reason }) => [
      String(line),
      `The row ${reason}`,
      ...sheet.columns.map((_, at) => rowAt.get(line)?.[at] ?? ''),
    ]);
    offerDownload('rows-left-out.csv', toCsv([['line', 'reason', ...sheet.columns], ...rows]));
  }
  return (
    <div class="stack" role="status">
      <p class="taken">
        <Icon name={refusal === null ? 'check' : 'people'} />
        <span>
          <strong>{wholeNumber(taken)}</strong> {taken === 1 ? 'person' : 'people'}{' '}
          {refusal === null ? 'can be called' : 'on the list'}
          {refused.length > 0 && (
            <>
              , <strong>{wholeNumber(refused.length)}</strong> {refused.length === 1 ? 'row is' : 'rows are'}{' '}
              skipped
            </>
          )}
          .
        </span>
      </p>
      {refused.length > 0 && (
        <>
          <Table caption="Skipped rows" head={['Row', 'Column', 'Value', 'Why']}>
            {refused.slice(0, shown).map(({ line, column, value, reason }) => (
              <tr key={`${line} ${column}`}>
                <td>Line {line}</td>
                <td>{column ?? ''}</td>
                <td class="mono">{value ?? ''}</td>
                <td>{reason}</td>
              </tr>
            ))}
          </Table>
          <div class="line">
            <Button icon="download" onClick={download}>
              Download the skipped rows
            </Button>
            {refused.length > shown && (
              <span class="muted">and {wholeNumber(refused.length - shown)} more</span>
            )}
          </div>
        </>
      )}
    </div>
  );
}
