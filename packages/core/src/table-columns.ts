import { type Numbering, parsePhoneNumber } from './phone-number.ts';

/** The accepted names of the column with phone numbers, in lower case. */
export const phoneColumns: readonly string[] = ['phone', 'phone_number', 'to', 'to_phone', 'number'];

export const isPhoneColumn = (name: string): boolean => phoneColumns.includes(name.trim().toLowerCase());

/** Seven digits count as a number, even with an unknown country, a wrong length or an extension. */
const digitsOfNumber = 7;

/**
 * Describes the first line of a table that has no column with phone numbers. Does not quote a line that may be the first person instead of column
 * names.
 */
export function firstLineHolds(names: readonly string[], numbering: Numbering): string {
  const isNumber = (name: string) =>
    name.replaceAll(/\P{Nd}/gu, '').length >= digitsOfNumber ||
    parsePhoneNumber(name, numbering).kind === 'ok';
  return names.some(isNumber)
    ? 'a phone number: put a line with the names of the columns above it'
    : names.slice(0, 50).join(', ');
}

/**
 * Converts a row of a table to an item of an import: the phone number as `phone_number`, as it is written, and the named columns. Omits other columns and
 * empty cells.
 */
export function itemOfCells(
  cells: ReadonlyMap<string, string>,
  columns: readonly string[],
): Record<string, string> {
  const item: Record<string, string> = {};
  for (const [name, text] of cells) {
    const value = text.trim();
    if (value === '') continue;
    const column = name.trim().toLowerCase();
    if (isPhoneColumn(name)) item['phone_number'] = value;
    else if (columns.includes(column)) item[column] = value;
  }
  return item;
}
