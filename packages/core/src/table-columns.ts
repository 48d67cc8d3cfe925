import { parsePhoneNumber } from './phone-number.ts';

/** The names of a column with phone numbers, in lower case. */
export const phoneColumns: readonly string[] = ['phone', 'phone_number', 'to', 'to_phone', 'number'];

export const isPhoneColumn = (name: string): boolean => phoneColumns.includes(name.trim().toLowerCase());

/** Seven digits are a number, also where the country is not known, its length is wrong or an extension follows. */
const digitsOfNumber = 7;

/**
 * What the first line of a table holds instead of a column with phone numbers. Without names it has the first person, who stays private.
 */
export function firstLineHolds(names: readonly string[], country: string | undefined): string {
  const isNumber = (name: string) =>
    name.replaceAll(/\P{Nd}/gu, '').length >= digitsOfNumber || parsePhoneNumber(name, country).kind === 'ok';
  return names.some(isNumber)
    ? 'a phone number: put a line with the names of the columns above it'
    : names.slice(0, 50).join(', ');
}

/**
 * A row of a table as an item of an import: the phone number as `phone_number`, in E.164 where it is valid, and the columns that are named. Other
 * columns and empty cells are left out.
 */
export function itemOfCells(
  cells: ReadonlyMap<string, string>,
  args: { country: string | undefined; columns: readonly string[] },
): Record<string, string> {
  const item: Record<string, string> = {};
  for (const [name, text] of cells) {
    const value = text.trim();
    if (value === '') continue;
    const column = name.trim().toLowerCase();
    if (isPhoneColumn(name)) {
      const parsed = parsePhoneNumber(value, args.country);
      item['phone_number'] = parsed.kind === 'invalid' ? value : parsed.e164;
    } else if (args.columns.includes(column)) item[column] = value;
  }
  return item;
}
