import { offerDownload, toCsv } from '../../sheets/csv.ts';
import { Button, Fault, Table } from '../../ui/basics.tsx';
import { Icon } from '../../ui/icon.tsx';
import { useAction } from '../../ui/use-action.ts';
import { wholeNumber } from '../../words/dates.ts';
import { type Draft, importParts } from './draft.ts';
import { type CheckedList, readSheet } from './send-draft.ts';

const shown = 8;

/** The accepted part of the list, what the service did not read or doubts, and each refused row, to view and download. */
export function RefusedRows({ checked, draft }: { checked: CheckedList; draft: Draft }) {
  const { taken, refused, refusal, notes } = checked;
  const download = useAction(async () => {
    if (draft.file === null) return;
    const { campaign: _, ...parts } = importParts(draft, 'draft');
    const sheet = await readSheet(draft.file, parts);
    const cellsAt = new Map(sheet.refused.map(({ line, cells }) => [line, cells]));
    const rows = refused.map(({ line, reason }) => [
      String(line),
      `The row ${reason}`,
      ...sheet.columns.map((_column, at) => cellsAt.get(line)?.[at] ?? ''),
    ]);
    const names = sheet.columns.map(({ name }) => name);
    offerDownload('rows-left-out.csv', toCsv([['line', 'reason', ...names], ...rows]));
  });
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
      {notes.map((note) => (
        <p key={note} class="hint">
          {note}
        </p>
      ))}
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
            <Button icon="download" busy={download.busy} onClick={() => download.run()}>
              Download the skipped rows
            </Button>
            {refused.length > shown && (
              <span class="muted">and {wholeNumber(refused.length - shown)} more</span>
            )}
          </div>
          <Fault text={download.fault} />
        </>
      )}
    </div>
  );
}
