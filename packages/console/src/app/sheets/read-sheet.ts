import Papa from 'papaparse';
import { readWorkbook } from './read-workbook.ts';
import { rowsAtMost, type Sheet, SheetError, sheetOf } from './sheet.ts';

/** Reads a CSV (commas, semicolons or tabs) or the first sheet of an XLSX. @throws SheetError */
export async function readSheet(file: File): Promise<Sheet> {
  const start = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  const isZip = start[0] === 0x50 && start[1] === 0x4b;
  if (isZip) return readWorkbook(new Uint8Array(await file.arrayBuffer()));
  if (/\.xls$/i.test(file.name)) throw new SheetError('This is an old Excel file: save it as .xlsx or .csv');
  return readCsv(file);
}

function readCsv(file: File): Promise<Sheet> {
  return new Promise((resolve, reject) => {
    Papa.parse<string[]>(file, {
      skipEmptyLines: 'greedy',
      preview: rowsAtMost + 2,
      complete: ({ data, errors }) => {
        const broken = errors.find(({ type }) => type === 'Quotes');
        if (broken !== undefined) {
          reject(new SheetError(`Line ${(broken.row ?? 0) + 1} has a quotation mark that is not closed`));
          return;
        }
        try {
          resolve(sheetOf(data.slice(0, rowsAtMost + 1), data.length > rowsAtMost + 1));
        } catch (error) {
          reject(error instanceof Error ? error : new SheetError('The file cannot be read'));
        }
      },
      error: (error) => reject(new SheetError(error.message)),
    });
  });
}
