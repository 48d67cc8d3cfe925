import type { ColumnMapping } from './choose-phone-column.ts';

/** What the columns of a list of records mean, such as those of a suppression list. */
export interface ListFields {
  phone: string;
  /** The names of fields, by column. */
  fields: ReadonlyMap<string, string>;
  /** Columns that are not read, although nobody left them out. */
  unused: readonly string[];
}

/**
 * A column is a field if it has its name, in any case, or if `mapping` maps it to the field; null leaves it out.
 * @param args.fields the names of the fields without the phone number
 * @returns a sentence for the caller if two columns are one field, or if one is mapped to none
 */
export function listFieldsOf(
  names: readonly string[],
  args: { phone: string; mapping: ColumnMapping; fields: readonly string[] },
): ListFields | { fault: string } {
  const { phone, mapping } = args;
  const columns = new Map<string, string>();
  const unused: string[] = [];
  for (const name of names) {
    if (name === '' || name === phone) continue;
    const isFree = !Object.hasOwn(mapping, name);
    const given = isFree ? name.toLowerCase() : mapping[name];
    if (given == null || given === '') continue;
    const other = columns.get(given);
    if (other !== undefined) {
      return {
        fault: `the columns ${JSON.stringify(other)} and ${JSON.stringify(name)} are both ${given}: map one of them to null`,
      };
    }
    if (args.fields.includes(given)) columns.set(given, name);
    else if (isFree) unused.push(name);
    else {
      const known = ['phone_number', ...args.fields].join(', ');
      return {
        fault: `${JSON.stringify(name)} is mapped to ${JSON.stringify(given)}, which is no field: the fields are ${known}, and null leaves a column out`,
      };
    }
  }
  return { phone, fields: new Map([...columns].map(([field, name]) => [name, field])), unused };
}

/** The cells of a row by field, the phone number as `phone_number`. */
export function fieldsOfRow(
  cells: ReadonlyMap<string, string>,
  { phone, fields }: ListFields,
): Map<string, string> {
  const row = new Map([['phone_number', cells.get(phone) ?? '']]);
  for (const [name, field] of fields) row.set(field, cells.get(name) ?? '');
  return row;
}
