import type { ImportedCampaign, Warning } from '@outdial/contracts';
import { TableError, type TableHeader } from '@outdial/sheets';
import { ValidationError } from '../../http/errors.ts';
import { rowsOfFile } from '../../http/rows-of-file.ts';
import { type ImportOptions, readImport, unreadableFile } from './read-import.ts';

type Preview = NonNullable<ImportedCampaign['preview']>;
type Column = Preview['columns'][number];

const firstRows = 100;
const refusedRowsAtMost = 10_000;
/** Of the rows together. */
const charactersAtMost = 4_000_000;
/** Of one column. There are some 600 names of time zones. */
const valuesAtMost = 1_000;
const valuesOfAllColumnsAtMost = 20_000;
const valueLengthAtMost = 64;

interface ImportPreview extends Pick<ImportedCampaign, 'rows' | 'taken' | 'refused'> {
  preview: Preview;
  warnings: readonly Warning[];
}

/**
 * Shows the file, also if it does not yet say which column has the phone numbers.
 * @throws ValidationError if it is not a table
 */
export async function previewImport(bytes: Buffer, options: ImportOptions): Promise<ImportPreview> {
  try {
    const { rows, recipients, refused, warnings } = await readImport(bytes, options);
    const { preview } = await readPreview(
      { bytes, organizationId: options.organizationId },
      new Set(refused.map(({ line }) => line)),
    );
    return { rows, taken: recipients.size, refused, warnings, preview };
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const { preview, rows } = await readPreview({ bytes, organizationId: options.organizationId }, new Set());
    const warnings = error.entries.map(({ loc, msg }): Warning => ({ code: 'would_be_refused', loc, msg }));
    return { rows, taken: 0, refused: [], warnings, preview };
  }
}

async function readPreview(
  file: { bytes: Buffer; organizationId: string },
  refused: ReadonlySet<number>,
): Promise<{ preview: Preview; rows: number }> {
  const preview: Preview = { columns: [], rows: [], refused: [] };
  let columns: CountedColumn[] = [];
  let rows = 0;
  let charactersLeft = charactersAtMost;
  let valuesLeft = valuesOfAllColumnsAtMost;
  const options = {
    report: () => void rows++,
    header: ({ names, hiddenColumns }: TableHeader) => {
      const hidden = new Set(hiddenColumns);
      columns = names
        .filter((name) => name !== '')
        .map((name) => new CountedColumn(name, { isHidden: hidden.has(name) }));
      // Shows what there is of each row.
      return new Set<string>();
    },
  };
  try {
    for await (const { line, cells: byName } of rowsOfFile(file, options)) {
      rows++;
      const cells = columns.map(({ name }) => byName.get(name) ?? '');
      for (const [at, column] of columns.entries()) valuesLeft -= column.see(cells[at] ?? '', valuesLeft);
      const isFirst = preview.rows.length < firstRows;
      const isRefused = refused.has(line) && preview.refused.length < refusedRowsAtMost;
      if (!isFirst && !isRefused) continue;
      charactersLeft -= cells.reduce((sum, cell) => sum + cell.length, 0);
      if (charactersLeft < 0) continue;
      if (isFirst) preview.rows.push({ line, cells });
      if (isRefused) preview.refused.push({ line, cells });
    }
  } catch (error) {
    throw error instanceof TableError ? unreadableFile(error) : error;
  }
  preview.columns = columns.map((column) => column.counted());
  return { preview, rows };
}

class CountedColumn {
  readonly name: string;
  readonly #isHidden: boolean;
  #empty = 0;
  #rows: Map<string, number> | null = new Map();

  constructor(name: string, { isHidden }: { isHidden: boolean }) {
    this.name = name;
    this.#isHidden = isHidden;
  }

  /** Returns how many values it remembers more than before. */
  see(cell: string, newAtMost: number): number {
    if (cell === '') this.#empty++;
    const known = this.#rows;
    if (cell === '' || known === null) return 0;
    const before = known.get(cell);
    if (before === undefined) {
      if (cell.length > valueLengthAtMost || known.size === valuesAtMost || newAtMost === 0) {
        this.#rows = null;
        return -known.size;
      }
    }
    known.set(cell, (before ?? 0) + 1);
    return before === undefined ? 1 : 0;
  }

  counted(): Column {
    const values = [...(this.#rows ?? [])].map(([value, rows]) => ({ value, rows }));
    return {
      name: this.name,
      hidden: this.#isHidden,
      empty: this.#empty,
      values: this.#rows === null ? null : values.toSorted((one, other) => other.rows - one.rows),
    };
  }
}
