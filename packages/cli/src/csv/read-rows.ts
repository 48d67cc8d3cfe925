import type { Readable } from 'node:stream';
import type { ListNotes } from '@outdial/contracts';
import {
  type ColumnMapping,
  fieldsOfRow,
  type ListFields,
  listFieldsOf,
  type Numbering,
  phoneColumnOf,
} from '@outdial/core';
import { type NamedRow, readRows as readTableRows, TableError, type TableHeader } from '@outdial/sheets';
import { CliError, type FileFault } from '../cli-error.ts';
import { type ListOptions, mappingOf } from '../options.ts';

export type CsvRow = NamedRow;

/**
 * Reads a table row by row: CSV with commas, semicolons or tabs, or the first sheet of an XLSX workbook. The first line names the columns, and
 * `header` gets them before any row and says which are read. Passes malformed rows to `report` and skips them.
 */
export async function* readRows(
  source: Readable,
  listeners: { report: (fault: FileFault) => void; header: (header: TableHeader) => ReadonlySet<string> },
): AsyncGenerator<CsvRow> {
  try {
    yield* readTableRows(source, listeners);
  } catch (error) {
    throw error instanceof TableError ? new CliError('csv_header', error.message) : error;
  }
}

/** How to read a list of records, and where to put what there is to say about it. */
export interface FieldsArgs {
  options: ListOptions;
  /** The fields besides the phone number. */
  fields: readonly string[];
  report: (fault: FileFault) => void;
  notes: ListNotes;
}

/** Reads the fields of each row, the phone number among them as `phone_number`. Rows that a spreadsheet hides too. */
export async function* readFields(
  source: Readable,
  { options, fields, report, notes }: FieldsArgs,
): AsyncGenerator<{ line: number; fields: ReadonlyMap<string, string> }> {
  const mapping = mappingOf(options);
  let columns: ListFields | undefined;
  const header = (found: TableHeader) => {
    const phone = requirePhoneColumn(found, { mapping, numbering: options });
    const of = listFieldsOf(found.names, { phone, mapping, fields });
    if ('fault' in of) throw new CliError('csv_header', `${of.fault} (--map)`);
    columns = of;
    notes.unusedColumns = of.unused;
    return notes.readHeader(found, { mapping, read: new Set([phone, ...of.fields.keys()]) });
  };
  for await (const row of readRows(source, { report, header })) {
    if (columns === undefined) throw new Error('a row came before the first line');
    notes.see(row);
    yield { line: row.line, fields: fieldsOfRow(row.cells, columns) };
  }
}

/** The warnings of a list whose hidden rows were read, as sentences. */
export function sayNotes(notes: ListNotes): string[] {
  return notes.warnings('were read too').map(({ msg }) => msg);
}

/** @throws CliError `csv_header` without a column for phone numbers, or with several that may be it */
export function requirePhoneColumn(
  header: TableHeader,
  args: { mapping: ColumnMapping; numbering: Numbering },
): string {
  const found = phoneColumnOf(header, { ...args, door: 'command line' });
  if ('name' in found) return found.name;
  throw new CliError('csv_header', found.fault);
}
