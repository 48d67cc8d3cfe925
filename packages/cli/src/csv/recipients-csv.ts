import type { Readable } from 'node:stream';
import { TimeZoneHints } from '@outdial/contracts';
import { isTimeZone, type Numbering, phoneColumns } from '@outdial/core';
import type { FileFault } from '../cli-error.ts';
import { noPhoneColumn, PhoneReader } from './phone-column.ts';
import { columnNamed, CsvHeaderError, readRows, type CsvRow } from './read-rows.ts';

/** Common names of a time zone column, without separators. */
const zoneNames: ReadonlySet<string> = new Set([
  'timezone',
  'tz',
  'timezones',
  'iana',
  'ianatimezone',
  'localtimezone',
  'zone',
]);

export type CsvFault = FileFault;

export interface CsvRecipient {
  phoneNumber: string;
  timezone: string | null;
  promptParams: Record<string, string>;
}

export interface RecipientsCsv {
  recipients: CsvRecipient[];
  /** Rows that were left out, and why, by line. */
  faults: CsvFault[];
  /** Accepted columns that are probably mistakes. */
  warnings: string[];
}

/**
 * Reads a campaign's list. The column `phone` (or `phone_number`, `to`) has the numbers, an optional column `timezone` the recipients'
 * zones. Every other column becomes a prompt value of that name, unless the cell is empty.
 * @throws CsvHeaderError if the first line has no column for numbers
 */
export async function parseRecipientsCsv(
  source: Readable,
  numbering: Numbering = {},
): Promise<RecipientsCsv> {
  const faults: CsvFault[] = [];
  const recipients: CsvRecipient[] = [];
  const phones = new PhoneReader(numbering);
  const hints = new TimeZoneHints();
  let warnings: string[] | undefined;
  for await (const row of readRows(source, (fault) => faults.push(fault))) {
    warnings ??= columnWarnings([...row.cells.keys()]);
    if (row.isHidden === true) {
      faults.push({ line: row.line, message: hiddenRow });
      continue;
    }
    const read = readRecipient(row, phones, hints);
    if (read.kind === 'ok') recipients.push(read.recipient);
    else faults.push({ line: row.line, message: read.message });
  }
  return { recipients, faults: faults.toSorted((a, b) => a.line - b.line), warnings: warnings ?? [] };
}

/** Who filters a list does not expect the others to be called. */
const hiddenRow = 'is hidden in the sheet, perhaps by a filter: show it to call this person';

/** Without this warning, people in a column `time zone` would be called in the campaign's zone, perhaps at night. */
function columnWarnings(names: readonly string[]): string[] {
  if (names.some((name) => name.toLowerCase() === 'timezone')) return [];
  return names
    .filter((name) => zoneNames.has(name.toLowerCase().replaceAll(/[^a-z]/g, '')))
    .map(
      (name) =>
        `the column ${JSON.stringify(name)} is used as a prompt value: rename it to timezone if it has time zones`,
    );
}

type ReadRecipient = { kind: 'ok'; recipient: CsvRecipient } | { kind: 'fault'; message: string };

function readRecipient({ line, cells }: CsvRow, phones: PhoneReader, hints: TimeZoneHints): ReadRecipient {
  const phoneColumn = columnNamed(cells, phoneColumns);
  if (phoneColumn === undefined) throw new CsvHeaderError(noPhoneColumn([...cells.keys()], phones.numbering));
  const zoneColumn = columnNamed(cells, ['timezone']);
  const timezone = zoneColumn === undefined ? '' : (cells.get(zoneColumn) ?? '');
  if (timezone !== '' && !isTimeZone(timezone)) {
    return { kind: 'fault', message: `has an unknown time zone: ${timezone}${hints.hint(timezone)}` };
  }
  const phone = phones.read(cells.get(phoneColumn) ?? '', line);
  if (phone.kind === 'fault') return phone;
  const values = [...cells].filter(
    ([name, cell]) => name !== '' && cell !== '' && name !== phoneColumn && name !== zoneColumn,
  );
  return {
    kind: 'ok',
    recipient: {
      phoneNumber: phone.e164,
      timezone: timezone === '' ? null : timezone,
      promptParams: Object.fromEntries(values),
    },
  };
}
