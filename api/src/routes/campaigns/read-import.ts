import { type ImportedCampaign, TimeZoneHints, type Warning } from '@outdial/contracts';
import {
  faultOfNumber,
  firstLineHolds,
  isPhoneColumn,
  isTimeZone,
  type Numbering,
  parseJson,
  parsePhoneNumber,
  phoneColumns,
} from '@outdial/core';
import type { RecipientDetails } from '@outdial/db';
import { type NamedRow, readRows, TableError } from '@outdial/sheets';
import { z } from 'zod';
import { inPieces } from '../../http/in-pieces.ts';
import { fieldFault } from '../../http/errors.ts';
import { refuseLosses } from '../../http/json-losses.ts';
import { hiddenRows } from '../../http/table-upload.ts';
import { placeFieldOf } from '@outdial/core';

/** Column → field; null ignores the column. */
export type Mapping = Readonly<Record<string, string | null>>;

export interface ImportedRows {
  rows: number;
  /** By number. A repeated number counts at its first row. */
  recipients: Map<string, RecipientDetails>;
  refused: ImportedCampaign['refused'];
  /** Columns that became prompt values, but were probably meant for something else. */
  warnings: Warning[];
}

const mapping = z.record(z.string(), z.string().max(255).nullable());

/** @throws ValidationError */
export function parseMapping(text: string | undefined): Mapping {
  if (text === undefined || text.trim() === '') return {};
  const read = mapping.safeParse(parseJson(text));
  if (read.success) {
    refuseLosses(text, ['body', 'mapping']);
    return read.data;
  }
  throw fieldFault(
    'mapping',
    'Input should be a JSON object such as {"Telefon": "phone_number", "Vorname": "name"}',
  );
}

/** The most refused rows that an answer names. */
const refusedAtMost = 100_000;

/** Reads the people of a table, and the faults of the other rows. @throws ValidationError if it is not a table of people */
export async function readImport(
  bytes: Buffer,
  options: {
    mapping: Mapping;
    numbering: Numbering;
    /** The numbers that must not be called, with reasons. */
    findRefused: (phoneNumbers: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  },
): Promise<ImportedRows> {
  const read: ImportedRows = { rows: 0, recipients: new Map(), refused: [], warnings: [] };
  const firstLines = new Map<string, number>();
  const report = ({ line, message }: { line: number; message: string }) => {
    read.rows++;
    read.refused.push({ line, column: null, value: null, reason: message });
  };
  const hints = new TimeZoneHints();
  let hidden = 0;
  let columns: Columns | undefined;
  try {
    for await (const row of readRows(inPieces(bytes), { report })) {
      if (columns === undefined) {
        columns = columnsOf([...row.cells.keys()], options);
        read.warnings = columnWarnings(columns, options.mapping);
      }
      read.rows++;
      if (read.refused.length > refusedAtMost) {
        throw fieldFault(
          'file',
          `More than ${refusedAtMost} rows are invalid; the last of them ends on line ${row.line}`,
        );
      }
      if (row.isHidden === true) {
        hidden += 1;
        read.refused.push({ line: row.line, column: null, value: null, reason: hiddenRow });
        continue;
      }
      takeRow(row, columns, { read, firstLines, hints, numbering: options.numbering });
    }
  } catch (error) {
    if (error instanceof TableError) {
      throw fieldFault('file', `The file cannot be read as a list: ${error.message}`);
    }
    throw error;
  }
  for (const [phoneNumber, reason] of await options.findRefused([...read.recipients.keys()])) {
    read.recipients.delete(phoneNumber);
    const line = firstLines.get(phoneNumber) ?? 0;
    read.refused.push({ line, column: columns?.phone ?? null, value: masked(phoneNumber), reason });
  }
  read.warnings.push(...hiddenRows(hidden, 'are not called: show them to call these people'));
  read.refused.sort((one, other) => one.line - other.line);
  return read;
}

/** Who filters a list does not expect the others to be called. */
const hiddenRow = 'is hidden in the sheet, perhaps by a filter: show it to call this person';

interface Columns {
  phone: string;
  timezone: string | null;
  /** The names of prompt values, by column. */
  values: ReadonlyMap<string, string>;
}

function columnsOf(
  names: readonly string[],
  { mapping: given, numbering }: { mapping: Mapping; numbering: Numbering },
): Columns {
  const strangers = Object.keys(given).filter((column) => !names.includes(column));
  if (strangers.length > 0) {
    throw fieldFault(
      'mapping',
      `The file has no column ${strangers.slice(0, 5).join(', ')}; its first line has ${firstLineHolds(names, numbering)}`,
    );
  }
  const mapped = (field: string) => names.find((name) => given[name] === field);
  const free = (name: string) => !Object.hasOwn(given, name);
  const phone = mapped('phone_number') ?? names.find((name) => free(name) && isPhoneColumn(name));
  if (phone === undefined) {
    throw fieldFault(
      'file',
      `The first line has no column named ${phoneColumns.join(', ')}, and mapping does not map one to phone_number; the line has ${firstLineHolds(names, numbering)}`,
    );
  }
  const timezone =
    mapped('timezone') ?? names.find((name) => free(name) && name.toLowerCase() === 'timezone') ?? null;
  const values = new Map<string, string>();
  for (const name of names) {
    if (name === '' || name === phone || name === timezone) continue;
    const field = free(name) ? name : given[name];
    if (field != null && field !== '') values.set(name, field.replace(/^prompt_params\./, ''));
  }
  return { phone, timezone, values };
}

function columnWarnings({ timezone, values }: Columns, given: Mapping): Warning[] {
  if (timezone !== null) return [];
  const misses = [...values.keys()].filter(
    (column) => placeFieldOf(column) === 'timezone' && !Object.hasOwn(given, column),
  );
  return misses.map((column) => ({
    code: 'unknown_field',
    loc: ['body', 'file', column.slice(0, 64)],
    msg: 'This column is read as a prompt value. If it contains time zones, name it `timezone` or map it to `timezone`',
  }));
}

function takeRow(
  { line, cells }: NamedRow,
  columns: Columns,
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
  if (parsed.kind === 'invalid') return refuse(columns.phone, masked(number), faultOfNumber(parsed));
  const before = firstLines.get(parsed.e164);
  if (before !== undefined) {
    return refuse(columns.phone, masked(number), `repeats the phone number of line ${before}`);
  }
  const timezone = columns.timezone === null ? '' : (cells.get(columns.timezone) ?? '');
  if (columns.timezone !== null && timezone !== '' && !isTimeZone(timezone)) {
    return refuse(
      columns.timezone,
      timezone.slice(0, 64),
      `has an unknown time zone: use an IANA name, such as America/New_York${state.hints.hint(timezone)}`,
    );
  }
  const values = [...columns.values].flatMap(([column, name]) => {
    const value = cells.get(column) ?? '';
    return value === '' ? [] : [[name, value] as const];
  });
  firstLines.set(parsed.e164, line);
  read.recipients.set(parsed.e164, {
    timezone: timezone === '' ? null : timezone,
    promptParams: values.length === 0 ? null : Object.fromEntries(values),
  });
}

/** Enough to find the number in the file, but not to call it. */
function masked(value: string): string {
  const text = value.slice(0, 32);
  return text.slice(0, -2).replaceAll(/[\p{L}\p{N}]/gu, '•') + text.slice(-2);
}
