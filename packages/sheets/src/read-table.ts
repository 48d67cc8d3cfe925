import { readCsv } from './read-csv.ts';
import type { TableFault, TableRow } from './table.ts';
import { TableError } from './table-error.ts';
import { Archive } from './archive.ts';
import { NumberFormats } from './number-formats.ts';
import { SheetRows } from './sheet-rows.ts';
import { SharedStrings } from './shared-strings.ts';
import { partsOfWorkbook, type WorkbookParts } from './workbook-parts.ts';

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
