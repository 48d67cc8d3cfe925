import { Metadata } from 'libphonenumber-js/core';
import metadata from 'libphonenumber-js/max/metadata';

/** What libphonenumber knows of the numbers behind one calling code (https://github.com/google/libphonenumber). */
export interface NumberingPlan {
  /** The main country first; none for codes of the whole world, such as satellites. */
  readonly countries: readonly string[];
  readonly possibleLengths: ReadonlySet<number>;
  /** Matches what costs its caller more, in any of the countries. */
  readonly premium: RegExp | null;
  readonly sharedCost: RegExp | null;
  readonly mobile: RegExp | null;
  /** Which of several countries a national number belongs to. */
  readonly members: ReadonlyArray<{ country: string; matches: RegExp }>;
}

const ordinaryTypes = [
  'FIXED_LINE',
  'MOBILE',
  'TOLL_FREE',
  'PREMIUM_RATE',
  'PERSONAL_NUMBER',
  'PAGER',
  'VOIP',
  'UAN',
  'SHARED_COST',
  'VOICEMAIL',
];

const plans = new Map<string, NumberingPlan | null>();

/** ISO 3166 alpha-2, in capitals, of a country that has a numbering plan. */
export function isCountry(code: string): boolean {
  return Object.hasOwn(metadata.countries, code);
}

/** The plan of a calling code, made when it is first asked for; null where the code is not in use. */
export function numberingPlan(callingCode: string): NumberingPlan | null {
  const known = plans.get(callingCode);
  if (known !== undefined) return known;
  const made = makePlan(callingCode);
  plans.set(callingCode, made);
  return made;
}

function makePlan(callingCode: string): NumberingPlan | null {
  const codes: Readonly<Record<string, readonly string[]>> = metadata.country_calling_codes;
  const ofCountries = codes[callingCode] ?? [];
  const ofTheWorld = Object.hasOwn(metadata.nonGeographic, callingCode);
  if (ofCountries.length === 0 && !ofTheWorld) return null;
  const perMember = (ofTheWorld ? [callingCode] : ofCountries).map((name) => ({ name, plan: planOf(name) }));
  return {
    countries: ofCountries,
    possibleLengths: new Set(perMember.flatMap(({ plan }) => plan.possibleLengths())),
    premium: patternOf(perMember, ['PREMIUM_RATE']),
    sharedCost: patternOf(perMember, ['SHARED_COST']),
    mobile: patternOf(perMember, ['MOBILE']),
    members: perMember.map(({ name, plan }) => ({
      country: name,
      matches: patternOf([{ plan }], ordinaryTypes) ?? /(?!)/,
    })),
  };
}

/** What `Metadata` has besides what it declares: `isValidNumber` and `getNumberType` of the library read plans by the same methods. */
interface LibraryPlan {
  selectNumberingPlan(name: string): void;
  possibleLengths(): readonly number[];
  type(name: string): { pattern(): string } | undefined;
}

/** Of a country, or of a calling code of the whole world. */
function planOf(name: string): LibraryPlan {
  const plan = new Metadata(metadata) as unknown as LibraryPlan;
  plan.selectNumberingPlan(name);
  return plan;
}

function patternOf(of: ReadonlyArray<{ plan: LibraryPlan }>, types: readonly string[]): RegExp | null {
  const patterns = of.flatMap(({ plan }) =>
    types.flatMap((type) => {
      const pattern = plan.type(type)?.pattern();
      return pattern === undefined ? [] : [pattern];
    }),
  );
  return patterns.length === 0 ? null : new RegExp(`^(?:${[...new Set(patterns)].join('|')})$`);
}
