/** The fields that locate a person. */
export type PlaceField = 'timezone' | 'region' | 'postal_code';

/** How people and programs name these fields, in lower case and without blanks; also after other words, as in `Mailing State`. */
const endings: Readonly<Record<PlaceField, readonly string[]>> = {
  timezone: ['timezone', 'timezones', 'tz', 'zeitzone'],
  region: ['region', 'state', 'province', 'bundesland', 'country'],
  postal_code: [
    'zip',
    'zip5',
    'zipcode',
    'postal',
    'postalcode',
    'postcode',
    'plz',
    'postleitzahl',
    'codepostal',
  ],
};

const fieldByEnding: ReadonlyMap<string, PlaceField> = new Map([
  ...endings.timezone.map((ending) => [ending, 'timezone'] as const),
  ...endings.region.map((ending) => [ending, 'region'] as const),
  ...endings.postal_code.map((ending) => [ending, 'postal_code'] as const),
]);

/** Words that mean a time zone only where nothing stands beside them. */
const zoneNames: ReadonlySet<string> = new Set(['zone', 'iana', 'tzdata']);

/** Words after the one that counts, as in `State Code`. A country code is the beginning of a phone number. */
const lastWords: ReadonlySet<string> = new Set(['code', 'id', 'name']);

/** The field that a name was probably meant for: `timezone` for `timeZone`, `Time Zone` and `tz`. The field's own name included. */
export function placeFieldOf(name: string): PlaceField | undefined {
  const words = name
    .slice(0, 64)
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  if (words === null) return undefined;
  const [last = '', before = ''] = words.toReversed();
  if (words.length === 1 && zoneNames.has(last)) return 'timezone';
  const found = fieldByEnding.get(before + last) ?? fieldByEnding.get(last);
  if (found !== undefined || !lastWords.has(last)) return found;
  return before === 'country' ? undefined : placeFieldOf(words.slice(0, -1).join(' '));
}
