import type { Readable } from 'node:stream';
import { type ColumnMapping, fieldsOfRow, type Numbering, phoneColumnOf } from '@outdial/core';
import { type NamedRow, readRows as readTableRows, TableError, type TableHeader } from '@outdial/sheets';
import { CliError, type FileFault } from '../cli-error.ts';
import { type ListOptions, mappingOf } from '../options.ts';

export type CsvRow = NamedRow;

/** The file is not a table, or its first line does not name the columns. */
export class CsvHeaderError extends CliError {
  constructor(message: string) {
    super('csv_header', message);
    this.name = 'CsvHeaderError';
  }
}

/**
 * Reads a table row by row: CSV with commas, semicolons or tabs, or the first sheet of an XLSX workbook. The first line names the columns, and
 * `header` gets them before any row. Passes malformed rows to `report` and skips them.
 */
export async function* readRows(
  source: Readable,
  listeners: { report: (fault: FileFault) => void; header: (header: TableHeader) => void },
): AsyncGenerator<CsvRow> {
  try {
    yield* readTableRows(source, listeners);
  } catch (error) {
    throw error instanceof TableError ? new CsvHeaderError(error.message) : error;
  }
}

/** Reads the fields of each row, the phone number among them as `phone_number`. */
export async function* readFields(
  source: Readable,
  args: ListOptions & { report: (fault: FileFault) => void },
): AsyncGenerator<{ line: number; fields: ReadonlyMap<string, string> }> {
  const mapping = mappingOf(args);
  let phone = '';
  const header = (found: TableHeader) => {
    phone = requirePhoneColumn(found, { mapping, numbering: args });
  };
  for await (const { line, cells } of readRows(source, { report: args.report, header })) {
    yield { line, fields: fieldsOfRow(cells, { phone, mapping }) };
  }
}

/** @throws CsvHeaderError without a column for phone numbers, or with several that may be it */
export function requirePhoneColumn(
  header: TableHeader,
  args: { mapping: ColumnMapping; numbering: Numbering },
): string {
  const found = phoneColumnOf(header, { ...args, door: 'command line' });
  if ('name' in found) return found.name;
  throw new CsvHeaderError(found.fault);
}
