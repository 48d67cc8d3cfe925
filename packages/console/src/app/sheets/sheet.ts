/** A table of people, parsed in the browser for a preview. The service parses the file again, and its result counts. */
export interface Sheet {
  columns: string[];
  rows: string[][];
  /** The line of each row in the file. */
  lines: number[];
  /** Whether the file has more rows than were read. */
  isCut: boolean;
}

/** Enough rows for a preview and for counting missing values. Longer files are uploaded in full. */
export const rowsAtMost = 50_000;

export class SheetError extends Error {}

export interface SheetRow {
  line: number;
  cells: string[];
}

/** The first row with text names the columns. */
export function sheetOf(table: readonly SheetRow[], isCut: boolean): Sheet {
  const [header, ...rows] = table.filter(({ cells }) => cells.some((cell) => cell.trim() !== ''));
  const named = (header?.cells ?? []).map((name) => name.trim());
  if (named.every((name) => name === '')) {
    throw new SheetError('The file is empty: its first line should have the names of the columns');
  }
  return { columns: named, rows: rows.map(({ cells }) => cells), lines: rows.map(({ line }) => line), isCut };
}

/** Row by row as objects; cells without a column are left out. */
export function valuesOf(
  { columns }: Pick<Sheet, 'columns'>,
  row: readonly string[],
): Record<string, string> {
  return Object.fromEntries(
    columns.flatMap((column, at) => (column === '' ? [] : [[column, (row[at] ?? '').trim()] as const])),
  );
}
