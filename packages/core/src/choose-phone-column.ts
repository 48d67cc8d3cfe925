/** What a column of a list means: the name of a field, or null to leave it out. */
export type ColumnMapping = Readonly<Record<string, string | null>>;

/** Names that mean the phone number of the person, in lower case and without blanks and punctuation. */
const exactNames: ReadonlySet<string> = new Set(['phone', 'phonenumber', 'tophone']);
/** Names that mean it where no other column may. */
const loneNames: ReadonlySet<string> = new Set(['to', 'number']);
const mayBeNumbers =
  /phone|mobil|handy|nummer|number|^(?:to|tel|cell|fax|gsm|msisdn)(?:no|nr|\d)?$|^tel(?:e|é)fon|^cell/u;

export type PhoneColumn =
  | { kind: 'found'; name: string }
  | { kind: 'unclear'; names: readonly string[] }
  | { kind: 'none' };

/**
 * The column with the phone numbers of a list, for every import. One that `mapping` names wins, then `phone`, `phone_number` or `to_phone`, then
 * `to` or `number` if no other column could be meant. Of two, none: the wrong people would be called, or suppressed.
 */
export function choosePhoneColumn(names: readonly string[], mapping: ColumnMapping = {}): PhoneColumn {
  const mapped = names.filter((name) => mapping[name] === 'phone_number');
  if (mapped.length > 0) return theOnly(mapped);
  const free = names.filter((name) => !Object.hasOwn(mapping, name));
  const exact = free.filter((name) => exactNames.has(plain(name)));
  if (exact.length > 0) return theOnly(exact);
  const lone = free.filter((name) => loneNames.has(plain(name)));
  if (lone.length === 0) return { kind: 'none' };
  return theOnly(free.filter((name) => mayBeNumbers.test(plain(name))));
}

function theOnly(names: readonly string[]): PhoneColumn {
  const [name = ''] = names;
  return names.length === 1 ? { kind: 'found', name } : { kind: 'unclear', names };
}

/** Whether a column with this name may hold phone numbers. */
export function mayHoldNumbers(name: string): boolean {
  return exactNames.has(plain(name)) || mayBeNumbers.test(plain(name));
}

const plain = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
