import { readCsv } from './read-csv.ts';
import { type TableFault, type TableRow, columnsAtMost } from './table.ts';
import { TableError } from './table-error.ts';
import { Archive } from './archive.ts';
import { NumberFormats } from './number-formats.ts';
import { SharedStrings, decodedText } from './shared-strings.ts';
import { partsOfWorkbook, type WorkbookParts, isTrue } from './workbook-parts.ts';
import type { XmlHandlers } from './xml-handlers.ts';

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
): Promise<{ rows: AsyncGenerator<TableRow>; otherSheets: readonly string[] }> {
  const chunks = source[Symbol.asyncIterator]();
  const head = await readHead(chunks);
  if (head.subarray(0, 8).equals(compoundFile)) {
    throw new TableError('the file is an old Excel file (.xls), or has a password: save it as XLSX or CSV');
  }
  if (isZip(head)) return openXlsx(await readAll(head, chunks));
  return { rows: readCsv(head, rest(head, chunks), report), otherSheets: [] };
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
async function openXlsx(
  bytes: Buffer,
): Promise<{ rows: AsyncGenerator<TableRow>; otherSheets: readonly string[] }> {
  const archive = await Archive.open(bytes);
  const parts = await partsOfWorkbook(archive);
  return { rows: rowsOf(archive, parts), otherSheets: parts.otherSheets };
}

async function* rowsOf(archive: Archive, parts: WorkbookParts): AsyncGenerator<TableRow> {
  const strings = new SharedStrings();
  if (parts.sharedStrings !== null) await archive.parse(parts.sharedStrings, strings.handlers());
  const formats = new NumberFormats(parts.isFrom1904);
  if (parts.styles !== null) await archive.parse(parts.styles, formats.handlers());
  const rows = new SheetRows({ sharedString: (index) => strings.at(index), formats });
  const chunks = archive.chunksOf(parts.sheet, rows.handlers());
  while ((await chunks.next()).done !== true) yield* rows.take();
}

/** A cell is a name or a note. */
const cellCharactersAtMost = 32_768;

/** Collects the cells of a sheet's rows while its XML is parsed. */
class SheetRows {
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

/** `B3` is in column 1. */
function columnOf(reference: string | undefined): number | null {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0];
  if (letters === undefined) return null;
  let column = 0;
  for (const letter of letters) column = column * 26 + (letter.charCodeAt(0) - 64);
  return column - 1;
}
