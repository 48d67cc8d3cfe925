import { Metadata } from 'libphonenumber-js/core';
import metadata from 'libphonenumber-js/max/metadata';

/** libphonenumber's data on the numbers of one calling code (https://github.com/google/libphonenumber). */
export interface NumberingPlan {
  /** The main country first; empty for global codes, such as satellites. */
  readonly countries: readonly string[];
  readonly possibleLengths: ReadonlySet<number>;
  /** Matches numbers with extra cost for the caller, in any of the countries. */
  readonly premium: RegExp | null;
  readonly sharedCost: RegExp | null;
  /** Numbers that follow a person, and pagers. */
  readonly personal: RegExp | null;
  readonly mobile: RegExp | null;
  readonly fixedLine: RegExp | null;
  /** Assigns a national number to one of several countries. */
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

/** Whether a code is the ISO 3166 alpha-2 code, in capitals, of a country with a numbering plan. */
export function isCountry(code: string): boolean {
  return Object.hasOwn(metadata.countries, code);
}

/** The plan of a calling code, built on first use; null if the code is not in use. */
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
    personal: patternOf(perMember, ['PERSONAL_NUMBER', 'PAGER']),
    mobile: patternOf(perMember, ['MOBILE']),
    fixedLine: patternOf(perMember, ['FIXED_LINE']),
    members: perMember.map(({ name, plan }) => ({
      country: name,
      matches: patternOf([{ plan }], ordinaryTypes) ?? /(?!)/,
    })),
  };
}

/** Undeclared methods of `Metadata`: the library's `isValidNumber` and `getNumberType` read plans with them. */
interface LibraryPlan {
  selectNumberingPlan(name: string): void;
  possibleLengths(): readonly number[];
  type(name: string): { pattern(): string } | undefined;
}

/** The plan of a country, or of a global calling code. */
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
