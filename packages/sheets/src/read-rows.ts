import { setImmediate } from 'node:timers/promises';
import { openTable } from './read-table.ts';
import type { TableFault } from './table.ts';
import { columnsAtMost } from './sheet-rows.ts';
import { TableError } from './table-error.ts';

/** A row by the names of the first line, and the line on which it ends. */
export interface NamedRow {
  line: number;
  cells: ReadonlyMap<string, string>;
}

/** The file has no first line that names its columns, each once. */
export class TableHeaderError extends TableError {}

/** A file with more malformed rows than this is not a table; callers keep each reported row in memory. */
const malformedAtMost = 10_000;

/** A chunk of 64 KiB can have thirty thousand rows, so the process serves other work after this many. */
const rowsAtATime = 1_000;

/**
 * Reads a table (read-table.ts) row by row. The first line names the columns. Passes malformed rows to `report` and skips them. @throws
 * TableError
 */
export async function* readRows(
  source: AsyncIterable<Buffer>,
  report: (fault: TableFault) => void,
): AsyncGenerator<NamedRow> {
  let malformed = 0;
  // Called within the parser, from which callers cannot catch errors.
  const tell = (fault: TableFault) => {
    malformed += 1;
    if (malformed <= malformedAtMost) report(fault);
  };
  const requireFewMalformed = () => {
    if (malformed > malformedAtMost) throw new TableError(`more than ${malformedAtMost} rows are malformed`);
  };
  const { kind, rows } = await openTable(source, tell);
  let names: string[] | undefined;
  let read = 0;
  for await (const { line, cells } of rows) {
    requireFewMalformed();
    read += 1;
    if (read % rowsAtATime === 0) await setImmediate();
    if (names === undefined) {
      // Sheets have no cells after their last column, and CSV lines may end with a delimiter.
      names = kind === 'xlsx' ? withoutEmptyEnd(cells) : cells;
      requireNames(names);
      continue;
    }
    if (cells.some(isUnstorable)) {
      tell({ line, message: 'has a character that is not text' });
      continue;
    }
    const given = kind === 'xlsx' ? padded(withoutEmptyEnd(cells), names.length) : cells;
    if (given.length === names.length) {
      yield { line, cells: new Map(names.map((name, index) => [name, given[index] ?? ''])) };
    } else {
      tell({ line, message: `has ${given.length} columns instead of ${names.length}` });
    }
  }
  requireFewMalformed();
  if (names === undefined) throw new TableHeaderError('the file is empty: its first line names the columns');
}

function withoutEmptyEnd(cells: readonly string[]): string[] {
  return cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1);
}

function padded(cells: readonly string[], length: number): string[] {
  return [...cells, ...Array.from({ length: Math.max(0, length - cells.length) }, () => '')];
}

const digitsOfNumber = /(?:\p{Nd}\P{Nd}*){7}/u;

function requireNames(names: readonly string[]): void {
  if (names.length > columnsAtMost) {
    throw new TableHeaderError(`the first line names more than ${columnsAtMost} columns`);
  }
  if (names.some(isUnstorable)) throw new TableHeaderError('the first line has a character that is not text');
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) {
      // The first line is data, and is not quoted, because it is about a person.
      if (digitsOfNumber.test(name)) {
        throw new TableHeaderError(
          'the first line has the same phone number twice: put a line with the names of the columns above it',
        );
      }
      throw new TableHeaderError(`the first line names the column ${name || '(empty)'} twice`);
    }
    seen.add(name);
  }
}

/** NUL or a lone surrogate, which databases cannot store. */
function isUnstorable(text: string): boolean {
  return text.includes('\u0000') || !text.isWellFormed();
}
