import { inAreas, people, type Somewhere } from '../people.ts';

/** A person on the list: the fields that are sent, and the possible places by the tables of this folder. */
export interface ListedPerson {
  phoneNumber: string;
  said: { region?: string; timezone?: string; postal_code?: string };
  /** All possible places, whose rules all apply. Empty if no place is known. */
  may: readonly Somewhere[];
  /** The places by the number alone. */
  byNumber: readonly Somewhere[];
  /** The country by the digits, for caller ids. */
  country: string;
}

const states = people.filter(({ country }) => country === 'US');

/** The clocks of the provinces, which the table of people has only in part. */
const canada: Somewhere = {
  country: 'CA',
  region: null,
  zones: [
    'America/St_Johns',
    'America/Halifax',
    'America/Toronto',
    'America/Winnipeg',
    'America/Regina',
    'America/Edmonton',
    'America/Dawson_Creek',
    'America/Vancouver',
    'America/Whitehorse',
  ],
  numbers: [],
};

/**
 * Numbers of countries by their first digits; `#` is any digit. Numbers that regulators reserve for fiction if there are any (Ofcom, ACMA, Arcep, PTS
 * and Bundesnetzagentur), otherwise libphonenumber's example with other last digits.
 */
const abroad: Readonly<Record<string, string>> = {
  GB: '+4420794609## +441614960### +447700900###',
  IE: '+35320914#### +3538501234##',
  DE: '+4930231250## +4917139200##',
  FR: '+3319900#### +3363998####',
  ES: '+346123456##',
  IT: '+3906123456## +3931234567##',
  NL: '+312012345## +316123456##',
  AU: '+614915701##',
  IN: '+9198765432##',
  JP: '+813123456## +8190123456##',
  AT: '+4312345678##',
  BE: '+32123456##',
  CH: '+414466818##',
  DK: '+453212####',
  FI: '+3584123456##',
  GR: '+3021234567##',
  NZ: '+642112345##',
  NO: '+474061####',
  PL: '+485123456##',
  PT: '+3519123456##',
  SE: '+467017406##',
  SG: '+65812345##',
  ZA: '+277112345##',
  KR: '+8210234567##',
  AE: '+9715012345##',
  AR: '+5411234567##',
  KE: '+2547121234##',
};

/** Countries whose numbers are on the list by area. */
const countriesByArea: ReadonlySet<string> = new Set(['BR', 'ES', 'MX', 'PT']);

/**
 * The carrier's outcome depends on the last two digits. Uses first those of which most do not reach the person at the first attempt, and then those
 * that do.
 */
const firstDigits = ['00', '92', '98', '11', '97', '91', '22', '94', '95', '33', '93', '96'];
const lastDigits = [
  ...firstDigits,
  ...Array.from({ length: 99 }, (_, n) => String(n).padStart(2, '0')).filter(
    (two) => !firstDigits.includes(two),
  ),
];

/** The nth number of a template. */
function numberOf(template: string, nth: number): string {
  const free = template.length - template.indexOf('#') - 2;
  const before = free === 0 ? '' : String(Math.floor(nth / lastDigits.length)).padStart(free, '0');
  return template.slice(0, template.indexOf('#')) + before + lastDigits[nth % lastDigits.length];
}

/** `count` numbers of several templates in turn, starting at a position in each. */
function numbersOf(templates: readonly string[], count: number, first: number): string[] {
  return Array.from({ length: count }, (_, n) =>
    numberOf(templates[n % templates.length] ?? '', first + Math.floor(n / templates.length)),
  );
}

const stateOf = (region: string): Somewhere => {
  const found = states.find((state) => state.region === region);
  if (found === undefined) throw new Error(`no state ${region}`);
  return found;
};
/** The place of a person with a given state. */
export const placesOf = (region: string): readonly Somewhere[] => [stateOf(region)];
const by = (where: Somewhere, zone: string): Somewhere => ({ ...where, zones: [zone] });
const inCountry = (country: string, zone: string): Somewhere => ({
  country,
  region: null,
  zones: [zone],
  numbers: [],
});

/** The given location counts beside that of the number. All of these numbers are from New York. */
const toldOf: ReadonlyArray<Pick<ListedPerson, 'said' | 'may'>> = [
  { said: { region: 'US-FL' }, may: [stateOf('US-FL')] },
  { said: { region: 'US-TX', timezone: 'America/Denver' }, may: [by(stateOf('US-TX'), 'America/Denver')] },
  { said: { postal_code: '02108' }, may: [stateOf('US-MA')] },
  { said: { postal_code: '96813' }, may: [stateOf('US-HI')] },
  { said: { region: 'US-RI', postal_code: '02903' }, may: [stateOf('US-RI')] },
  { said: { timezone: 'UTC' }, may: [] },
  { said: { region: 'DE' }, may: [inCountry('DE', 'Europe/Berlin')] },
  { said: { region: 'FR' }, may: [inCountry('FR', 'Europe/Paris')] },
  // A time zone of another country than the number's, so the rules of both apply.
  {
    said: { timezone: 'Europe/Berlin' },
    may: [by(stateOf('US-NY'), 'Europe/Berlin'), inCountry('DE', 'Europe/Berlin')],
  },
];

/** A person without a given location, so the number determines the possible places. */
const unsaid = (phoneNumber: string, country: string, may: readonly Somewhere[]): ListedPerson => ({
  phoneNumber,
  said: {},
  may,
  byNumber: may,
  country,
});

/** A freephone number may be anywhere in the two large countries of the plan. */
const anywhere: readonly Somewhere[] = [...states, canada];

/**
 * People in every area code of the United States and in thirty countries: `perAreaCode` and `perCountry` of each. 20 and 94 make ten thousand people.
 */
export function makeList({
  perAreaCode,
  perCountry,
}: {
  perAreaCode: number;
  perCountry: number;
}): ListedPerson[] {
  const codes = states.flatMap((state) =>
    state.numbers.map((number) => ({ state, code: number.slice(2, 5) })),
  );
  const inStates = codes.flatMap(({ state, code }, place) =>
    numbersOf([`+1${code}55501##`], perAreaCode, place % firstDigits.length).map((phoneNumber) =>
      unsaid(phoneNumber, 'US', [state]),
    ),
  );
  const inCanada = people
    .filter(({ country }) => country === 'CA')
    .flatMap((where) =>
      numbersOf([`${where.numbers[0]?.slice(0, 10)}##`], Math.ceil(perCountry / 3), 0).map((phoneNumber) =>
        unsaid(phoneNumber, 'CA', [where]),
      ),
    );
  const inCountries = Object.entries(abroad).flatMap(([country, templates], place) =>
    numbersOf(templates.split(' '), perCountry, place % firstDigits.length).map((phoneNumber) =>
      unsaid(
        phoneNumber,
        country,
        people.filter((where) => where.country === country && !inAreas.includes(where)),
      ),
    ),
  );
  const byArea = inAreas
    .filter(({ country }) => countriesByArea.has(country))
    .flatMap((where) =>
      numbersOf(
        where.numbers.map((number) => `${number.slice(0, -2)}##`),
        Math.ceil(perCountry / 10),
        0,
      ).map((phoneNumber) => unsaid(phoneNumber, where.country, [where])),
    );
  const told = toldOf.flatMap((one, place) =>
    // The first of each place is not reached at once.
    Array.from({ length: Math.ceil(perAreaCode / 3) }, (_, nth) => ({
      ...one,
      may: [...placesOf('US-NY'), ...one.may],
      phoneNumber: numberOf('+121255502##', nth * toldOf.length + place),
      byNumber: placesOf('US-NY'),
      country: 'US',
    })),
  );
  const freephone = numbersOf(['+180055501##'], perAreaCode, 0).map((phoneNumber) =>
    unsaid(phoneNumber, 'US', anywhere),
  );
  const list = [...inStates, ...inCanada, ...inCountries, ...byArea, ...told, ...freephone];
  const numbers = new Set(list.map(({ phoneNumber }) => phoneNumber));
  // A campaign has a number once, so the checker would look for the other person in vain.
  if (numbers.size < list.length) throw new Error('a number is on the list twice: take fewer of each');
  return list;
}

/** A number without a country or a given location, which may never be called. */
export const nowhere: ListedPerson = unsaid('+80012345678', '', []);
