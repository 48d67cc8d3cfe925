import type { Readable } from 'node:stream';
import { ListNotes, TimeZoneHints } from '@outdial/contracts';
import type { RecipientDetails } from '@outdial/db';
import { columnsRead, detailsOfRow, type ListColumns, listColumnsOf } from '@outdial/engine';
import type { TableHeader } from '@outdial/sheets';
import { CliError, type FileFault } from '../cli-error.ts';
import { type ListOptions, mappingOf } from '../options.ts';
import { readRows, requirePhoneColumn } from './read-rows.ts';
import { readPhone } from './read-phone.ts';

export type CsvFault = FileFault;

export interface RecipientsCsv {
  /** By number, in the order of the file. */
  recipients: Map<string, RecipientDetails>;
  /** Rows that were left out, and why, by line. */
  faults: CsvFault[];
  /** Accepted columns that are probably mistakes. */
  warnings: string[];
  /** Columns that look like where a person is, and are not used. */
  unusedPlaces: string[];
}

/**
 * Reads a campaign's list. The column `phone` (or `phone_number`, `to`) has the numbers; columns `timezone`, `region` and `postal_code` say where the
 * recipients are. Every other column becomes a prompt value of that name, unless the cell is empty.
 * @throws CliError `csv_header` if the first line has no column for numbers, or several
 */
export async function parseRecipientsCsv(
  source: Readable,
  options: ListOptions = {},
): Promise<RecipientsCsv> {
  const faults: CsvFault[] = [];
  const reader = new RecipientReader(options);
  const listeners = {
    report: (fault: CsvFault) => void faults.push(fault),
    header: (found: TableHeader) => reader.readHeader(found),
  };
  for await (const row of readRows(source, listeners)) {
    const { line, cells, isHidden } = row;
    reader.notes.see(row);
    const message = isHidden === true ? hiddenRow : reader.read(line, cells);
    if (message !== null) faults.push({ line, message });
  }
  const unusedPlaces = [...(reader.columns?.unusedPlaces.keys() ?? [])];
  return {
    recipients: reader.recipients,
    faults: faults.toSorted((a, b) => a.line - b.line),
    warnings: [...placeWarnings(reader.columns), ...notesOf(reader.notes)],
    unusedPlaces,
  };
}

class RecipientReader {
  readonly recipients = new Map<string, RecipientDetails>();
  columns: ListColumns | undefined;
  readonly notes = new ListNotes();
  readonly #options: ListOptions;
  readonly #lines = new Map<string, number>();
  readonly #hints = new TimeZoneHints();

  constructor(options: ListOptions) {
    this.#options = options;
  }

  readHeader(header: TableHeader): ReadonlySet<string> {
    const mapping = mappingOf(this.#options);
    const phone = requirePhoneColumn(header, { mapping, numbering: this.#options });
    const columns = listColumnsOf(header.names, { phone, mapping });
    if ('fault' in columns) throw new CliError('csv_header', `${columns.fault} (--map)`);
    this.columns = columns;
    return this.notes.readHeader(header, { mapping, read: columnsRead(columns) });
  }

  /** Takes the recipient of a row, or says why not. */
  read(line: number, cells: ReadonlyMap<string, string>): string | null {
    const { columns } = this;
    if (columns === undefined) throw new Error('a row came before the first line');
    const phone = readPhone(cells.get(columns.phone) ?? '', this.#options);
    if (phone.kind === 'fault') return phone.message;
    const before = this.#lines.get(phone.e164);
    if (before !== undefined) return `repeats the phone number of line ${before}`;
    const details = detailsOfRow(cells, columns, {
      phoneNumber: phone.e164,
      hints: this.#hints,
      unknownZone: (zone, hint) => `has an unknown time zone: ${zone}${hint}`,
    });
    if ('reason' in details) return details.reason;
    this.#lines.set(phone.e164, line);
    this.recipients.set(phone.e164, details);
    return null;
  }
}

/** Who filters a list does not expect the others to be called. */
const hiddenRow = 'is hidden in the sheet, perhaps by a filter: show it to call this person';

/** Without this warning, people in a column `time zone` would be called in the campaign's zone, perhaps at night. */
function placeWarnings(columns: ListColumns | undefined): string[] {
  return [...(columns?.unusedPlaces ?? [])].map(([column, field]) => {
    const shown = JSON.stringify(column);
    return `the column ${shown} is used as a prompt value, but looks like where a person is: rename it to ${field}, or answer with --map "${column}=${field}" or --map "${column}=prompt_params.${column}"`;
  });
}

const notesOf = (notes: ListNotes) =>
  notes.warnings('are not called: show them to call these people').map(({ msg }) => msg);
