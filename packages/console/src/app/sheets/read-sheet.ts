import { readCsv, TableError, visibleText } from '@outdial/sheets/csv';
import { readWorkbook } from './read-workbook.ts';
import { rowsAtMost, type Sheet, SheetError, sheetOf, type SheetRow } from './sheet.ts';

/** Reads a CSV, with the reader of the service, or the first sheet of an XLSX. @throws SheetError */
export async function readSheet(file: File): Promise<Sheet> {
  const start = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  const isZip = start[0] === 0x50 && start[1] === 0x4b;
  if (isZip) return readWorkbook(new Uint8Array(await file.arrayBuffer()));
  if (/\.xls$/i.test(file.name)) throw new SheetError('This is an old Excel file: save it as .xlsx or .csv');
  return readText(file);
}

const pieceBytes = 65_536;

async function readText(file: File): Promise<Sheet> {
  const rows: SheetRow[] = [];
  const head = new Uint8Array(await file.slice(0, pieceBytes).arrayBuffer());
  try {
    // Lines that cannot be read are named by the service, which checks the file.
    for await (const { line, cells } of readCsv(head, piecesOf(file), () => undefined)) {
      rows.push({ line, cells: cells.map(visibleText) });
      if (rows.length > rowsAtMost + 1) break;
    }
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    throw new SheetError(`${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}`);
  }
  return sheetOf(rows.slice(0, rowsAtMost + 1), rows.length > rowsAtMost + 1);
}

async function* piecesOf(file: File): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.size; at += pieceBytes) {
    yield new Uint8Array(await file.slice(at, at + pieceBytes).arrayBuffer());
  }
}
