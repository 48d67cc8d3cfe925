import { type ImportedCampaign, ListNotes, TimeZoneHints, type Warning } from '@outdial/contracts';
import { type ColumnMapping, faultOfNumber, maskText, type Numbering, parsePhoneNumber } from '@outdial/core';
import type { RecipientDetails } from '@outdial/db';
import { columnsRead, detailsOfRow, type ListColumns, listColumnsOf } from '@outdial/engine';
import { type NamedRow, TableError, type TableHeader } from '@outdial/sheets';
import { fieldFault, type ValidationError } from '../../http/errors.ts';
import { rowsOfFile } from '../../http/rows-of-file.ts';
import { requirePhoneColumn } from '../../http/table-upload.ts';

export interface ImportedRows {
  rows: number;
  /** By number. A repeated number counts at its first row. */
  recipients: Map<string, RecipientDetails>;
  refused: ImportedCampaign['refused'];
  /** Columns that became prompt values, but were probably meant for something else, and columns without a name. */
  warnings: Warning[];
  /** Those of the columns that look like where a person is. */
  unusedPlaces: readonly string[];
}

export interface ImportOptions {
  organizationId: string;
  mapping: ColumnMapping;
  numbering: Numbering;
  /** The numbers that must not be called, with reasons. */
  findRefused: (phoneNumbers: readonly string[]) => Promise<ReadonlyMap<string, string>>;
}

const refusedAtMost = 100_000;

/** Reads the people of a table, and the faults of the other rows. @throws ValidationError if it is not a table of people */
export async function readImport(bytes: Buffer, options: ImportOptions): Promise<ImportedRows> {
  const read: ImportedRows = { rows: 0, recipients: new Map(), refused: [], warnings: [], unusedPlaces: [] };
  const firstLines = new Map<string, number>();
  const report = ({ line, message }: { line: number; message: string }) => {
    read.rows++;
    read.refused.push({ line, column: null, value: null, reason: message });
  };
  const hints = new TimeZoneHints();
  const notes = new ListNotes();
  let columns: ListColumns | undefined;
  const header = (found: TableHeader) => {
    columns = columnsOf(found, options);
    return notes.readHeader(found, { mapping: options.mapping, read: columnsRead(columns) });
  };
  try {
    for await (const row of rowsOfFile(
      { bytes, organizationId: options.organizationId },
      { report, header },
    )) {
      read.rows++;
      notes.see(row);
      if (read.refused.length > refusedAtMost) {
        throw fieldFault(
          'file',
          `More than ${refusedAtMost} rows are invalid; the last of them ends on line ${row.line}`,
        );
      }
      if (row.isHidden === true) {
        read.refused.push({ line: row.line, column: null, value: null, reason: hiddenRow });
        continue;
      }
      if (columns === undefined) throw new Error('a row came before the first line');
      takeRow(row, columns, { read, firstLines, hints, numbering: options.numbering });
    }
  } catch (error) {
    throw error instanceof TableError ? unreadableFile(error) : error;
  }
  for (const [phoneNumber, reason] of await options.findRefused([...read.recipients.keys()])) {
    read.recipients.delete(phoneNumber);
    const line = firstLines.get(phoneNumber) ?? 0;
    read.refused.push({ line, column: columns?.phone ?? null, value: maskText(phoneNumber), reason });
  }
  read.refused.sort((one, other) => one.line - other.line);
  read.unusedPlaces = [...(columns?.unusedPlaces.keys() ?? [])];
  read.warnings = [
    ...placeWarnings(columns),
    ...notes.warnings('are not called: show them to call these people'),
  ];
  return read;
}

export function unreadableFile(error: TableError): ValidationError {
  return fieldFault('file', `The file cannot be read as a list: ${error.message}`);
}

/** Who filters a list does not expect the others to be called. */
const hiddenRow = 'is hidden in the sheet, perhaps by a filter: show it to call this person';

function columnsOf(
  header: TableHeader,
  { mapping, numbering }: { mapping: ColumnMapping; numbering: Numbering },
): ListColumns {
  const phone = requirePhoneColumn(header, { mapping, numbering });
  const columns = listColumnsOf(header.names, { phone, mapping });
  if ('fault' in columns) throw fieldFault('mapping', columns.fault);
  return columns;
}

function placeWarnings(columns: ListColumns | undefined): Warning[] {
  return [...(columns?.unusedPlaces ?? [])].map(([column, field]) => {
    const shown = column.slice(0, 64).toWellFormed();
    return {
      code: 'unknown_field',
      loc: ['body', 'file', shown],
      msg: `This column is read as a prompt value, but looks like where a person is. ${answerOf(shown, field)}`,
    };
  });
}

/** How the caller answers whether a column is a place. */
function answerOf(column: string, field: string): string {
  const entry = (meaning: string) => `{${JSON.stringify(column)}: ${JSON.stringify(meaning)}}`;
  return `Map it, with ${entry(field)}, or if it is a prompt value with ${entry(`prompt_params.${column}`)}`;
}

function takeRow(
  { line, cells }: NamedRow,
  columns: ListColumns,
  state: {
    read: ImportedRows;
    firstLines: Map<string, number>;
    hints: TimeZoneHints;
    numbering: Numbering;
  },
): void {
  const { read, firstLines } = state;
  const refuse = (column: string, value: string, reason: string) =>
    void read.refused.push({ line, column, value: value === '' ? null : value, reason });
  const number = cells.get(columns.phone) ?? '';
  const parsed = parsePhoneNumber(number, state.numbering);
  if (parsed.kind === 'invalid') return refuse(columns.phone, maskText(number), faultOfNumber(parsed));
  const before = firstLines.get(parsed.e164);
  if (before !== undefined) {
    return refuse(columns.phone, maskText(number), `repeats the phone number of line ${before}`);
  }
  const details = detailsOfRow(cells, columns, {
    phoneNumber: parsed.e164,
    hints: state.hints,
    unknownZone: (_, hint) => `has an unknown time zone: use an IANA name, such as America/New_York${hint}`,
  });
  if ('reason' in details) {
    return refuse(details.column, details.value.slice(0, 64).toWellFormed(), details.reason);
  }
  firstLines.set(parsed.e164, line);
  read.recipients.set(parsed.e164, details);
}
