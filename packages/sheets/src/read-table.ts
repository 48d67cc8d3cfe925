import { readCsv } from './read-csv.ts';
import {
  cellCharactersAtMost,
  columnsAtMost,
  rowCharactersAtMost,
  type TableFault,
  type TableRow,
} from './table.ts';
import { TableError, tooMuchText } from './table-error.ts';
import { Archive } from './archive.ts';
import { columnOf } from './cell-reference.ts';
import { NumberFormats } from './number-formats.ts';
import { SheetLayout } from './sheet-layout.ts';
import { SharedStrings, decodedText } from './shared-strings.ts';
import { partsOfWorkbook, isTrue } from './workbook-parts.ts';
import type { XmlHandlers } from './xml-handlers.ts';

interface OpenTable {
  rows: AsyncGenerator<TableRow>;
  otherSheets: readonly string[];
  /** Those that a spreadsheet does not show, from 0. */
  hiddenColumns: ReadonlySet<number>;
}

/** XLSX is unpacked in memory, so its size is limited. CSV is streamed. */
const xlsxBytesAtMost = 64 * 1024 * 1024;

/**
 * Opens a table: CSV (RFC 4180, in UTF-8 or in UTF-16 with a byte order mark, with commas, semicolons or tabs) or the first visible sheet of an XLSX
 * workbook, recognized by content. Passes malformed rows to `report` and skips them, and empty rows. The memory does not grow with the rows.
 * @throws TableError for any other file, also while its rows are read
 */
export async function openTable(
  source: AsyncIterable<Buffer>,
  report: (fault: TableFault) => void,
): Promise<OpenTable> {
  const chunks = source[Symbol.asyncIterator]();
  const head = await readHead(chunks);
  if (head.subarray(0, 8).equals(compoundFile)) {
    throw new TableError('the file is an old Excel file (.xls), or has a password: save it as XLSX or CSV');
  }
  if (isZip(head)) return openXlsx(await readAll(head, chunks));
  return { rows: readCsv(head, rest(head, chunks), report), otherSheets: [], hiddenColumns: new Set() };
}

/** The first bytes of .xls, and of a workbook that is encrypted with a password ([MS-CFB], section 2.2). */
const compoundFile = Buffer.from('d0cf11e0a1b11ae1', 'hex');

/** Enough to recognize the kind of the file, and to contain its first line. */
const headBytes = 64 * 1024;

async function readHead(chunks: AsyncIterator<Buffer>): Promise<Buffer> {
  const read: Buffer[] = [];
  for (let length = 0; length < headBytes;) {
    const next = await chunks.next();
    if (next.done === true) break;
    read.push(next.value);
    length += next.value.length;
  }
  return Buffer.concat(read);
}

async function* rest(head: Buffer, chunks: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield head;
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
}

async function readAll(head: Buffer, chunks: AsyncIterator<Buffer>): Promise<Buffer> {
  const read: Buffer[] = [];
  let length = 0;
  for await (const chunk of rest(head, chunks)) {
    length += chunk.length;
    if (length > xlsxBytesAtMost) {
      throw new TableError(`the workbook is larger than ${xlsxBytesAtMost} bytes: save the sheet as CSV`);
    }
    read.push(chunk);
  }
  return Buffer.concat(read);
}

export function isZip(head: Buffer): boolean {
  return head.subarray(0, 4).equals(Buffer.from('PK\u0003\u0004'));
}

/**
 * The rows of the first visible sheet of a workbook (ECMA-376, part 1, section 18), as it shows them, and the names of its other sheets. Formulas
 * count as the value that was saved with them.
 */
async function openXlsx(bytes: Buffer): Promise<OpenTable> {
  const archive = await Archive.open(bytes);
  const parts = await partsOfWorkbook(archive);
  const strings = new SharedStrings();
  if (parts.sharedStrings !== null) await archive.parse(parts.sharedStrings, strings.handlers());
  const formats = new NumberFormats(parts.isFrom1904);
  if (parts.styles !== null) await archive.parse(parts.styles, formats.handlers());
  const layout = await SheetLayout.read(archive, parts.sheet);
  const rows = new SheetRows({ sharedString: (index) => strings.at(index), formats, layout });
  return {
    rows: rowsOf(archive, parts.sheet, rows),
    otherSheets: parts.otherSheets,
    hiddenColumns: layout.hiddenColumns,
  };
}

async function* rowsOf(archive: Archive, sheet: string, rows: SheetRows): AsyncGenerator<TableRow> {
  const chunks = archive.chunksOf(sheet, rows.handlers());
  while ((await chunks.next()).done !== true) yield* rows.take();
}

const unsavedFormula =
  'a formula whose result was not saved: open the file in a spreadsheet program and save it';

/** The largest size of all cells, to which a few texts of the workbook may add up. */
const charactersAtMost = 256 * 1024 * 1024;

/** Collects the cells of a sheet's rows while its XML is parsed. */
class SheetRows {
  readonly #sharedString: (index: number) => string;
  readonly #formats: NumberFormats;
  readonly #layout: SheetLayout;
  #rows: TableRow[] = [];
  #characters = 0;

  constructor(workbook: {
    sharedString: (index: number) => string;
    formats: NumberFormats;
    layout: SheetLayout;
  }) {
    this.#sharedString = workbook.sharedString;
    this.#formats = workbook.formats;
    this.#layout = workbook.layout;
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
    let unknown = new Map<number, string>();
    let column = 0;
    let kind = 'n';
    let style: string | undefined;
    let value = '';
    let hasFormula = false;
    let inValue = false;
    let inPronunciation = false;
    let isHidden = false;
    let characters = 0;
    return {
      opentag: (name, attributes) => {
        if (name === 'row') {
          characters = 0;
          line = lineOf(attributes['r']) ?? line + 1;
          cells = [];
          unknown = new Map();
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
          hasFormula = false;
        } else if (name === 'f') {
          hasFormula = true;
        } else if (name === 'rPh') {
          inPronunciation = true;
        } else if (name === 'v' || name === 't') {
          inValue = !inPronunciation;
        }
      },
      text: (part) => {
        if (inValue && value.length < cellCharactersAtMost) {
          value = (value + part).slice(0, cellCharactersAtMost);
        }
      },
      closetag: (name) => {
        if (name === 'v' || name === 't') inValue = false;
        if (name === 'rPh') inPronunciation = false;
        if (name === 'c') {
          while (cells.length < column) cells.push('');
          const text = this.#textOf(kind, value, style).trim();
          characters += text.length;
          this.#characters += text.length;
          // Cells refer to a text that is stored once.
          if (characters > rowCharactersAtMost || this.#characters > charactersAtMost) throw tooMuchText();
          cells[column] = text;
          // A saved text may be empty. Programs that do not calculate save no value.
          if (hasFormula && value === '' && kind !== 'str') unknown.set(column, unsavedFormula);
        }
        if (name === 'row' && (unknown.size > 0 || cells.some((cell) => cell !== ''))) {
          for (const [at, top] of this.#layout.linesOfMerged(line, cells)) {
            unknown.set(at, `a merged cell, whose value is on line ${top}: write it in each row`);
          }
          this.#rows.push({ line, cells, unknown, ...(isHidden && { isHidden }) });
        }
      },
    };
  }

  #textOf(kind: string, value: string, style: string | undefined): string {
    if (value === '') return '';
    if (kind === 'e') return '#N/A';
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
