import { wordsOfName } from './words-of-name.ts';

/** What a column of a list means: the name of a field, or null to leave it out. */
export type ColumnMapping = Readonly<Record<string, string | null>>;

/** Names that mean the phone number of the person, in lower case and without blanks and punctuation. */
const exactNames: ReadonlySet<string> = new Set(['phone', 'phonenumber', 'tophone']);
/** Names that mean it where no other column may. */
const loneNames: ReadonlySet<string> = new Set(['to', 'number']);
/** Words that mean a phone, as their names begin, in the languages of Western lists and a few others. */
const phoneWords =
  /phone|telefon|mobil|handy|電話|电话|手机|手機|携帯|전화|휴대|(?:^| )(?:tel(?!l)|ph(?: |$)|hp(?: |$)|cep no|fono|mob|cel(?!e)|fon(?: |$)|gsm|msisdn|ruf(?!name)|landline|whats|movil|portable|tlf|puh|komork|тел|моб|[ck]onta[ck]to? ?(?:(?:no|nr|\d+)$|num))/u;
/** The contact alone may be a number or a name. */
const otherNumbers = /nummer|number|numero|^to$|(?:^| )fax|(?<!(?:first|last|next) )\b[ck]onta[ck]to?$/u;

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
  return theOnly(free.filter(mayHoldNumbers));
}

function theOnly(names: readonly string[]): PhoneColumn {
  const [name = ''] = names;
  return names.length === 1 ? { kind: 'found', name } : { kind: 'unclear', names };
}

/** Whether a column with this name may hold phone numbers, such as `Account number`. */
export function mayHoldNumbers(name: string): boolean {
  return namesPhone(name) || otherNumbers.test(spaced(name));
}

/** Whether the name of a column means a phone, such as `Home tel`. */
export function namesPhone(name: string): boolean {
  return phoneWords.test(spaced(name));
}

const spaced = (name: string) => wordsOfName(name).join(' ');
const plain = (name: string) => wordsOfName(name).join('');
