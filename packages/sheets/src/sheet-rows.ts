import type { NumberFormats } from './number-formats.ts';
import { decodedText } from './shared-strings.ts';
import { columnsAtMost, type TableRow } from './table.ts';
import type { XmlHandlers } from './xml-handlers.ts';
import { TableError } from './table-error.ts';
import { isTrue } from './workbook-parts.ts';

/** A cell is a name or a note. */
const cellCharactersAtMost = 32_768;

/** Collects the cells of a sheet's rows while its XML is parsed. */
export class SheetRows {
  readonly #sharedString: (index: number) => string;
  readonly #formats: NumberFormats;
  #rows: TableRow[] = [];

  constructor(workbook: { sharedString: (index: number) => string; formats: NumberFormats }) {
    this.#sharedString = workbook.sharedString;
    this.#formats = workbook.formats;
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
    let style: string | undefined;
    let value = '';
    let inValue = false;
    let inPronunciation = false;
    let isHidden = false;
    return {
      opentag: (name, attributes) => {
        if (name === 'row') {
          line = lineOf(attributes['r']) ?? line + 1;
          cells = [];
          column = -1;
          // By hand, or by a filter.
          isHidden = isTrue(attributes['hidden']) || Number(attributes['ht'] ?? 1) === 0;
        } else if (name === 'c') {
          column = columnOf(attributes['r']) ?? column + 1;
          if (column >= columnsAtMost) {
            throw new TableError(`the sheet has more than ${columnsAtMost} columns`);
          }
          kind = attributes['t'] ?? 'n';
          style = attributes['s'];
          value = '';
        } else if (name === 'rPh') {
          inPronunciation = true;
        } else if (name === 'v' || name === 't') {
          inValue = !inPronunciation;
        }
      },
      text: (part) => {
        if (inValue && value.length < cellCharactersAtMost) value += part;
      },
      closetag: (name) => {
        if (name === 'v' || name === 't') inValue = false;
        if (name === 'rPh') inPronunciation = false;
        if (name === 'c') {
          while (cells.length < column) cells.push('');
          cells[column] = this.#textOf(kind, value, style).trim();
        }
        if (name === 'row' && cells.some((cell) => cell !== '')) {
          this.#rows.push({ line, cells, ...(isHidden && { isHidden }) });
        }
      },
    };
  }

  #textOf(kind: string, value: string, style: string | undefined): string {
    if (kind === 'e' || value === '') return '';
    if (kind === 'b') return value === '1' ? 'TRUE' : 'FALSE';
    if (kind === 'd') return this.#formats.dateText(value, style);
    if (kind === 'n') {
      const number = Number(value);
      return Number.isFinite(number) ? this.#formats.numberText(number, style) : value;
    }
    const text = kind === 's' ? this.#sharedString(Number(value)) : decodedText(value);
    return this.#formats.text(text, style);
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
