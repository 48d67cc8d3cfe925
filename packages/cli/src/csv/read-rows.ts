import type { Readable } from 'node:stream';
import { type NamedRow, readRows as readTableRows, TableError } from '@outdial/sheets';
import { CliError, type FileFault } from '../cli-error.ts';

export type CsvRow = NamedRow;

/** The file is not a table, or its first line does not name the columns. */
export class CsvHeaderError extends CliError {
  constructor(message: string) {
    super('csv_header', message);
    this.name = 'CsvHeaderError';
  }
}

/**
 * Reads a table row by row: CSV with commas, semicolons or tabs in UTF-8, or the first sheet of an XLSX workbook. The first line names the
 * columns. Passes malformed rows to `report` and skips them.
 */
export async function* readRows(
  source: Readable,
  report: (fault: FileFault) => void,
): AsyncGenerator<CsvRow> {
  try {
    yield* readTableRows(source, { report });
  } catch (error) {
    throw error instanceof TableError ? new CsvHeaderError(error.message) : error;
  }
}

/** The column with one of these names, ignoring case. */
export function columnNamed(
  cells: ReadonlyMap<string, string>,
  names: readonly string[],
): string | undefined {
  return [...cells.keys()].find((name) => names.includes(name.toLowerCase()));
}
