import { type ColumnMapping, type ListHeader, mayHoldNumbers } from '@outdial/core';
import type { Warning } from './warning.ts';

/** The most columns, sheets and lines that a warning names. */
const namedAtMost = 20;
const nameLength = 64;

/** What an import has to say about a list besides its refused rows: what the file holds and was not read, or was read only in part. */
export class ListNotes {
  /** Columns that are not read, although nobody left them out. */
  unusedColumns: readonly string[] = [];
  /** The lines of rows with a number that an earlier row has, and whose other cells count only in part. */
  readonly repeats: number[] = [];
  readonly #field: 'file' | 'items';
  #otherSheets: readonly string[] = [];
  #hiddenColumns: readonly string[] = [];
  #hidden = 0;
  #unnamed = 0;

  /** @param field where the list is in the body */
  constructor(field: 'file' | 'items' = 'file') {
    this.#field = field;
  }

  /** Returns the columns that are read. */
  readHeader(
    header: ListHeader & { otherSheets: readonly string[] },
    { mapping, read }: { mapping: ColumnMapping; read: ReadonlySet<string> },
  ): ReadonlySet<string> {
    this.#otherSheets = header.otherSheets;
    this.#hiddenColumns = header.hiddenColumns.filter(
      (name) => read.has(name) && !Object.hasOwn(mapping, name),
    );
    return read;
  }

  see(row: { cells: ReadonlyMap<string, string>; isHidden?: boolean }): void {
    if (row.isHidden === true) this.#hidden += 1;
    if ((row.cells.get('') ?? '') !== '') this.#unnamed += 1;
  }

  /** @param hidden what became of hidden rows, to follow "They" */
  warnings(hidden: string): Warning[] {
    const loc = ['body', this.#field];
    const found: Warning[] = this.unusedColumns.slice(0, namedAtMost).map((name) => ({
      code: 'unknown_field',
      loc: [...loc, name.slice(0, nameLength)],
      msg: `The column ${JSON.stringify(name.slice(0, nameLength))} is not read${mayHoldNumbers(name) ? '. If it has phone numbers too, import the file once more, and map this column to phone_number there' : ''}`,
    }));
    const more = this.unusedColumns.length - namedAtMost;
    if (more > 0) found.push({ code: 'unknown_field', loc, msg: `${more} more columns are not read` });
    if (this.#unnamed > 0) {
      const msg = `${this.#unnamed} rows have cells in columns without a name, which are not read`;
      found.push({ code: 'unknown_field', loc, msg });
    }
    if (this.#hidden > 0) {
      const msg = `The sheet hides ${this.#hidden} rows, perhaps by a filter. They ${hidden}`;
      found.push({ code: 'hidden_rows', loc, msg });
    }
    if (this.#hiddenColumns.length > 0) {
      const msg = `The sheet hides columns that are read: ${quoted(this.#hiddenColumns)}. Leave one out by mapping it to null`;
      found.push({ code: 'hidden_columns', loc, msg });
    }
    if (this.#otherSheets.length > 0) {
      const msg = `Only the first visible sheet is read. Not read: ${quoted(this.#otherSheets)}`;
      found.push({ code: 'unread_sheets', loc, msg });
    }
    if (this.repeats.length > 0) {
      const msg = `These ${this.#field === 'file' ? 'lines' : 'items'} repeat the number of an earlier one: ${listed(this.repeats.map(String))}. Of each number, the one counts that protects the person the longest`;
      found.push({ code: 'repeated_number', loc, msg });
    }
    return found;
  }
}

function quoted(names: readonly string[]): string {
  return listed(names.map((name) => JSON.stringify(name.slice(0, nameLength))));
}

function listed(names: readonly string[]): string {
  const more = names.length - namedAtMost;
  return names.slice(0, namedAtMost).join(', ') + (more > 0 ? `, and ${more} more` : '');
}
