import { readCsv } from './read-csv.ts';
import { isZip, openXlsx } from './read-xlsx.ts';
import type { TableFault, TableRow } from './table.ts';
import { TableError } from './table-error.ts';

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
