import { wordsOfName } from '../words-of-name.ts';

/** The fields that locate a person. */
export type PlaceField = 'timezone' | 'region' | 'postal_code';

/** How people and programs name these fields, in lower case, without blanks and accents; also after other words, as in `Mailing State`. */
const endings: Readonly<Record<PlaceField, readonly string[]>> = {
  timezone: [
    'timezone',
    'timezones',
    'tz',
    'utcoffset',
    'gmtoffset',
    'zeitzone',
    'fuseauhoraire',
    'zonahoraria',
    'husohorario',
    'fusoorario',
    'fusohorario',
    'tijdzone',
  ],
  region: [
    'region',
    'regione',
    'state',
    'province',
    'provincia',
    'provinz',
    'prov',
    'territory',
    'bundesland',
    'kanton',
    'canton',
    'estado',
    'country',
    'pays',
    'pais',
  ],
  postal_code: [
    'zip',
    'zip4',
    'zip5',
    'zipcode',
    'postal',
    'postalcode',
    'postcode',
    'plz',
    'postleitzahl',
    'codepostal',
    'postnummer',
    'postnr',
  ],
};

const fieldByEnding: ReadonlyMap<string, PlaceField> = new Map([
  ...endings.timezone.map((ending) => [ending, 'timezone'] as const),
  ...endings.region.map((ending) => [ending, 'region'] as const),
  ...endings.postal_code.map((ending) => [ending, 'postal_code'] as const),
]);

/** Words that mean a field only where nothing stands beside them. */
const loneNames: ReadonlyMap<string, PlaceField> = new Map([
  ['zone', 'timezone'],
  ['iana', 'timezone'],
  ['tzdata', 'timezone'],
  ['st', 'region'],
  ['land', 'region'],
  ['nation', 'region'],
]);

/** Words after the one that counts, as in `State Code`. A country code is the beginning of a phone number. */
const lastWords: ReadonlySet<string> = new Set([
  'code',
  'id',
  'name',
  'abbr',
  'abbrev',
  'abbreviation',
  'iana',
  'offset',
  'ort',
]);

/** The field that a name was probably meant for: `timezone` for `timeZone`, `Time Zone` and `tz`. The field's own name included. */
export function placeFieldOf(name: string): PlaceField | undefined {
  const words = wordsOfName(name);
  const [last = '', before = ''] = words.toReversed();
  const lone = words.length === 1 ? loneNames.get(last) : undefined;
  if (lone !== undefined) return lone;
  const found = fieldByEnding.get(before + last) ?? fieldByEnding.get(last);
  if (found !== undefined || !lastWords.has(last)) return found;
  return before === 'country' ? undefined : placeFieldOf(words.slice(0, -1).join(' '));
}

const countries: ReadonlySet<string> = new Set(['country', 'pays', 'pais', 'land', 'nation']);

/** Whether a column with regions has countries, which say less than its states beside it. */
export function namesCountry(name: string): boolean {
  return placeFieldOf(name) === 'region' && wordsOfName(name).some((word) => countries.has(word));
}
