import { choosePhoneColumn, type ColumnMapping } from './choose-phone-column.ts';
import { type Numbering, parsePhoneNumber } from './phone-number.ts';

/** The line of a list that names its columns. */
export interface ListHeader {
  line: number;
  names: readonly string[];
  /** Those that a spreadsheet does not show. */
  hiddenColumns: readonly string[];
}

/**
 * The column with the phone numbers, or why there is none, as a sentence for the caller.
 * @param args.door where the mapping is given, which the sentence shows
 */
export function phoneColumnOf(
  header: ListHeader,
  args: { mapping: ColumnMapping; numbering: Numbering; door: 'api' | 'command line' },
): { name: string } | { setting: 'file' | 'mapping'; fault: string } {
  const { mapping, numbering, door } = args;
  const { names, hiddenColumns } = header;
  const isApi = door === 'api';
  const mapped = (name: string) =>
    isApi
      ? `mapping, such as {${JSON.stringify(name)}: "phone_number"}`
      : `--map, such as --map "${name}=phone_number"`;
  const holds = firstLineHolds(names, numbering);
  // A title above the names, for example, or the last line of one.
  const line = header.line === 1 ? 'first line' : `first line with text (line ${header.line})`;
  const strangers = Object.keys(mapping).filter((column) => !names.includes(column));
  if (strangers.length > 0) {
    const missing = strangers.slice(0, 5).join(', ');
    return { setting: 'mapping', fault: `the file has no column ${missing}; its ${line} has ${holds}` };
  }
  // A hidden column may have old numbers.
  const free = names.filter((name) => Object.hasOwn(mapping, name) || !hiddenColumns.includes(name));
  const chosen = choosePhoneColumn(free, mapping);
  switch (chosen.kind) {
    case 'found':
      return chosen;
    case 'unclear': {
      const both = chosen.names.slice(0, 5).map((name) => JSON.stringify(name));
      const fault = `${both.join(' and ')} may each be the column with the phone numbers: name one with ${mapped(chosen.names.at(-1) ?? '')}`;
      return { setting: 'mapping', fault };
    }
    case 'none': {
      const shown = hiddenColumns.length > 0 ? ' that the sheet shows' : '';
      const columns = phoneColumns.join(', ') + shown;
      const fault = isApi
        ? `the ${line} has no column named ${columns}, and mapping does not map one to phone_number; the line has ${holds}`
        : `the ${line} has no column ${columns}; it has ${holds}`;
      return { setting: 'file', fault };
    }
  }
}

/** The names that are found without a mapping. */
const phoneColumns: readonly string[] = ['phone', 'phone_number', 'to', 'to_phone', 'number'];

/** Seven digits count as a number, even with an unknown country, a wrong length or an extension. */
const digitsOfNumber = 7;

/** Does not quote a line that may be the first person instead of the names of the columns. */
function firstLineHolds(names: readonly string[], numbering: Numbering): string {
  const isNumber = (name: string) =>
    name.replaceAll(/\P{Nd}/gu, '').length >= digitsOfNumber ||
    parsePhoneNumber(name, numbering).kind === 'ok';
  return names.some(isNumber)
    ? 'a phone number: put a line with the names of the columns above it'
    : names.slice(0, 50).join(', ');
}

/** An item of an import: the phone number as it is written, and the other fields. Omits empty ones. */
export function itemOfFields(fields: ReadonlyMap<string, string>): Record<string, string> {
  return Object.fromEntries([...fields].filter(([, text]) => text !== ''));
}
