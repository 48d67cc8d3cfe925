import { setImmediate } from 'node:timers/promises';
import { openTable } from './read-table.ts';
import { columnsAtMost, sevenDigits, type TableFault } from './table.ts';
import { malformedAtMost, requireFewMalformed, TableError } from './table-error.ts';
import { visibleText } from './visible-text.ts';

/** A row by the names of the first line. */
export interface NamedRow {
  /** The line on which the row ends. */
  line: number;
  cells: ReadonlyMap<string, string>;
  /** A spreadsheet does not show it, because of a filter for example. */
  isHidden?: boolean;
}

/** The first line with text, which names the columns. */
export interface TableHeader {
  line: number;
  names: readonly string[];
  /** The other sheets of a workbook, which are not read. */
  otherSheets: readonly string[];
  /** The columns that a spreadsheet does not show. */
  hiddenColumns: readonly string[];
}

/** A chunk of 64 KiB can have thirty thousand rows, so the process serves other work after this many. */
const rowsAtATime = 1_000;

const allKnown: ReadonlyMap<number, string> = new Map();

/**
 * Reads a table (read-table.ts) row by row. The first line with text names the columns, and `header` checks the names before any row and says which
 * columns are read, all by default. Passes malformed rows, and those with unknown texts in these columns, to `report` and skips them. Rows may be
 * shorter than the first line; of longer ones the surplus cells have to be empty.
 * @throws TableError
 */
export async function* readRows(
  source: AsyncIterable<Buffer>,
  {
    report,
    header,
  }: { report: (fault: TableFault) => void; header?: (header: TableHeader) => ReadonlySet<string> },
): AsyncGenerator<NamedRow> {
  let malformed = 0;
  // Called within the parser, from which callers cannot catch errors.
  const tell = (fault: TableFault) => {
    malformed += 1;
    if (malformed <= malformedAtMost) report(fault);
  };
  let names: string[] | undefined;
  let columns: ReadonlySet<string> = new Set();
  let read = 0;
  const { rows, otherSheets, hiddenColumns } = await openTable(source, tell);
  for await (const { line, firstLine, cells: texts, unknown = allKnown, isDoubtful, isHidden } of rows) {
    const refuse = (message: string) => {
      for (let of = firstLine ?? line; of <= line; of++) tell({ line: of, message });
    };
    requireFewMalformed(malformed);
    read += 1;
    if (read % rowsAtATime === 0) await setImmediate();
    const cells = withoutEmptyEnd(texts.map(textOfCell));
    const [unknownText] = unknown.values();
    if (cells.length === 0 && unknownText === undefined) {
      const hasErrors = texts.some((text) => formulaError.test(visibleText(text)));
      if (names !== undefined && hasErrors) refuse('has only errors of formulas');
      continue;
    }
    const unread = [...unknown].find(([at]) => columns.has(names?.[at] ?? ''));
    if (names === undefined) {
      if (unknownText !== undefined) throw new TableError(`the first line has ${unknownText}`);
      names = cells;
      const hidden = names.filter((_, at) => hiddenColumns.has(at));
      requireNames(names, hidden);
      const found = { line, names, otherSheets, hiddenColumns: hidden };
      columns = header?.(found) ?? new Set(names);
    } else if (unread !== undefined) {
      refuse(`has in ${JSON.stringify(names[unread[0]])} ${unread[1]}`);
    } else if (cells.length === 0) {
      refuse(`has ${unknownText}`);
    } else if (cells.some(isUnstorable)) {
      refuse('has a character that is not text');
    } else if (cells.length > names.length) {
      refuse(`has ${cells.length} columns instead of ${names.length}`);
    } else if (isDoubtful === true && texts.length < names.length) {
      refuse('may belong to a line before it, whose quotation marks do not match');
    } else {
      yield { line, cells: named(names, cells), ...(isHidden === true && { isHidden }) };
    }
  }
  requireFewMalformed(malformed);
  if (names === undefined) throw new TableError('the file is empty: its first line names the columns');
}

/**
 * Errors of formulas, which spreadsheets also copy as text and export to CSV, in their user's language: `#N/A`, `#DIV/0!`, `#SPILL!`, in German `#NV`, in
 * Spanish `#N/D` and `#¡VALOR!`, in LibreOffice `Err:502`. Excel exports `#####` for a date that its column was too narrow to show.
 */
const formulaError =
  /^(?:#(?:N\/[ABD]!?|NV|I\/T|Н\/Д|YOK|GETTING_DATA|[¡¿]?\p{Lu}+(?:\/0)?[!?])|#{3,}|Err:\d{3})$/u;

/** Exports write `="0171"`, a formula of one text, so that spreadsheets keep the zero. */
const textAsFormula = /^="([^"]*)"$/;

function textOfCell(text: string): string {
  const visible = visibleText(text);
  if (formulaError.test(visible)) return '';
  return textAsFormula.exec(visible)?.[1]?.trim() ?? visible;
}

/** Cells of columns without a name are under the empty name, the first one that is not empty. */
function named(names: readonly string[], cells: readonly string[]): Map<string, string> {
  const row = new Map<string, string>();
  for (const [index, name] of names.entries()) {
    if (name !== '' || (row.get('') ?? '') === '') row.set(name, cells[index] ?? '');
  }
  return row;
}

function withoutEmptyEnd(cells: readonly string[]): string[] {
  return cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1);
}

function requireNames(names: readonly string[], hidden: readonly string[]): void {
  if (names.length > columnsAtMost) {
    throw new TableError(`the first line names more than ${columnsAtMost} columns`);
  }
  if (names.some(isUnstorable)) throw new TableError('the first line has a character that is not text');
  const seen = new Set<string>();
  for (const name of names) {
    if (name !== '' && seen.has(name)) {
      // The first line is data, and is not quoted, because it is about a person.
      if (sevenDigits.test(name)) {
        throw new TableError(
          'the first line has the same phone number twice: put a line with the names of the columns above it',
        );
      }
      const where = hidden.includes(name) ? ', in columns of which the sheet hides one' : '';
      throw new TableError(`the first line names the column ${name} twice${where}`);
    }
    seen.add(name);
  }
}

/** NUL or a lone surrogate, which databases cannot store. */
function isUnstorable(text: string): boolean {
  return text.includes('\u0000') || !text.isWellFormed();
}
