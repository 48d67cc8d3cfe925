import { useEffect, useState } from 'preact/hooks';
import { useAction } from '../../ui/use-action.ts';
import { guessColumns } from '../../sheets/mapping.ts';
import { Button, Card, Fault } from '../../ui/basics.tsx';
import { DropZone } from '../../ui/drop-zone.tsx';
import { Choice, TextField } from '../../ui/fields.tsx';
import { count } from '../../words/dates.ts';
import { objectionOf } from '../../data/list-check.ts';
import { ColumnTable } from './column-table.tsx';
import { type ChangeDraft, checkParts, type Draft } from './draft.ts';
import { RefusedRows } from './refused-rows.tsx';
import { checkList, type CheckedList, readSheet } from './send-draft.ts';

const waitMs = 300;

interface Props {
  draft: Draft;
  change: ChangeDraft;
  checked: CheckedList | null;
  setChecked: (checked: CheckedList | null) => void;
}

export function People({ draft, change, checked, setChecked }: Props) {
  const { file, sheet } = draft;
  const read = useAction(async (chosen: File) => {
    const sheet = await readSheet(chosen, {});
    change({
      file: chosen,
      sheet,
      columns: guessColumns(sheet, []),
      ...(draft.name === '' && { name: nameOf(chosen) }),
    });
  });
  const check = useCheck(draft, setChecked);

  if (file === null || sheet === null) {
    return (
      <Card title="People to call">
        <DropZone
          label={read.busy ? 'Reading the file…' : 'Drop a spreadsheet here, or choose one'}
          hint="CSV or XLSX. The first line has the names of the columns. One column has the phone numbers."
          accept=".csv,.tsv,.txt,.xlsx,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
          onFiles={([chosen]) => chosen !== undefined && read.run(chosen)}
        />
        <Fault text={read.fault} />
      </Card>
    );
  }
  return (
    <Card
      title="People to call"
      aside={
        <Button kind="quiet" icon="again" onClick={() => change({ file: null, sheet: null, columns: {} })}>
          Another file
        </Button>
      }
    >
      <div class="form">
        <p>
          <strong>{file.name}</strong> <span class="muted">{count(sheet.count, 'row')}</span>
        </p>
        <ColumnTable sheet={sheet} columns={draft.columns} onChange={(columns) => change({ columns })} />
        <div class="narrow">
          <TextField
            label="Country of numbers without a +"
            value={draft.country}
            onInput={(text) => change({ country: text.trim().toUpperCase().slice(0, 2) })}
            placeholder="such as US or DE"
            hint="Leave it empty if all numbers begin with + and a country code."
          />
          <Choice
            label="Numbers without a + are written"
            value={draft.numbers}
            onChange={(numbers) => change({ numbers })}
            options={[
              { value: '', text: 'either way: refuse those that are unclear' },
              { value: 'international', text: 'with their country code' },
              { value: 'national', text: 'as in their country' },
            ]}
            hint="Spreadsheets drop the +. A number that can be read both ways is refused."
          />
        </div>
        {draft.agentId === '' && <p class="hint">The rows are checked once you have chosen an agent.</p>}
        <Fault text={check} />
        {checked !== null && <RefusedRows checked={checked} draft={draft} />}
      </div>
    </Card>
  );
}

/**
 * Checks the list with the service once there is an agent, and shortly after each relevant change. (With an invalid date or zone, people
 * are not counted.) Returns the service's objection.
 */
function useCheck(draft: Draft, setChecked: (checked: CheckedList | null) => void): string | null {
  const [fault, setFault] = useState<string | null>(null);
  const { file, columns, country, numbers, agentId } = draft;
  // Other fields do not affect rows, so the count stays until the answer arrives.
  useEffect(() => setChecked(null), [file, JSON.stringify(columns), country, numbers]);
  useEffect(() => {
    setFault(null);
    if (file === null || agentId === '' || country.length === 1) return undefined;
    const over = new AbortController();
    const timer = setTimeout(() => {
      checkList(draft, over.signal).then(
        (answer) => over.signal.aborted || setChecked(answer),
        (error: unknown) => {
          if (over.signal.aborted) return;
          setChecked(null);
          setFault(objectionOf(error));
        },
      );
    }, waitMs);
    return () => {
      over.abort();
      clearTimeout(timer);
    };
  }, [file, JSON.stringify(checkParts(draft))]);
  return fault;
}

/** `spring_list-2.csv` → `Spring list 2`. */
function nameOf(file: File): string {
  const words = file.name
    .replace(/\.\w+$/, '')
    .replaceAll(/[_-]+/g, ' ')
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
