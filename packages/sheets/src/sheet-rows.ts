import type { TableRow } from './table.ts';
import type { XmlHandlers } from './xml-handlers.ts';
import { TableError } from './table-error.ts';

/** Far more columns than any list of people has. */
export const columnsAtMost = 1_000;
/** A cell is a name or a note. */
const cellCharactersAtMost = 32_768;

/** Collects the cells of a sheet's rows while its XML is parsed. */
export class SheetRows {
  readonly #sharedString: (index: number) => string;
  #rows: TableRow[] = [];

  constructor(sharedString: (index: number) => string) {
    this.#sharedString = sharedString;
  }

  /** The rows completed so far. */
  take(): TableRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  handlers(): XmlHandlers {
    let line = 0;
    let cells: string[] = [];
    let column = 0;
    let kind = 'n';
    let value = '';
    let inValue = false;
    return {
      opentag: (name, attributes) => {
        if (name === 'row') {
          line = lineOf(attributes['r']) ?? line + 1;
          cells = [];
          column = -1;
        } else if (name === 'c') {
          column = columnOf(attributes['r']) ?? column + 1;
          if (column >= columnsAtMost) {
            throw new TableError(`the sheet has more than ${columnsAtMost} columns`);
          }
          kind = attributes['t'] ?? 'n';
          value = '';
        } else if (name === 'v' || name === 't') {
          inValue = true;
        }
      },
      text: (part) => {
        if (inValue && value.length < cellCharactersAtMost) value += part;
      },
      closetag: (name) => {
        if (name === 'v' || name === 't') inValue = false;
        if (name === 'c') {
          while (cells.length < column) cells.push('');
          cells[column] = this.#textOf(kind, value).trim();
        }
        if (name === 'row' && cells.some((cell) => cell !== '')) this.#rows.push({ line, cells });
      },
    };
  }

  #textOf(kind: string, value: string): string {
    if (kind === 's') return this.#sharedString(Number(value));
    if (kind === 'b') return value === '1' ? 'true' : 'false';
    if (kind !== 'n' || value === '') return value;
    // A phone number in a cell of numbers may be written with an exponent.
    const number = Number(value);
    return Number.isSafeInteger(number) ? String(number) : value;
  }
}

/** Null if it is missing or invalid. */
function lineOf(text: string | undefined): number | null {
  return text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : null;
}

/** `B3` is in column 1. */
function columnOf(reference: string | undefined): number | null {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0];
  if (letters === undefined) return null;
  let column = 0;
  for (const letter of letters) column = column * 26 + (letter.charCodeAt(0) - 64);
  return column - 1;
}
