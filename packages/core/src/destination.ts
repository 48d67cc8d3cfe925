import { withoutOldMexicanPrefix, withoutTrunkZero } from './phone-number.ts';
import { type NumberingPlan, numberingPlan } from './numbering-plan.ts';

/** Kinds of numbers that cost the caller extra. They are never dialed unless the operator allows them. */
export const specialNumbers = ['premium', 'shared_cost', 'personal', 'satellite', 'emergency'] as const;

export type SpecialNumber = (typeof specialNumbers)[number];

export interface DestinationRules {
  /** ISO 3166 alpha-2, in capitals; null: all. */
  readonly allowedCountries: readonly string[] | null;
  readonly allowedSpecial: readonly SpecialNumber[];
}

export type Destination =
  | { kind: 'allowed' }
  | {
      kind: 'refused';
      reason: 'impossible' | 'old_mexican_prefix' | 'trunk_zero' | 'country_not_allowed' | SpecialNumber;
    };

const allowed: Destination = { kind: 'allowed' };

/** 881 and 882–883 carry satellite phones, 870 is Inmarsat (ITU-T E.164, list of assigned codes). */
const satelliteCodes = new Set(['870', '881', '882', '883']);
/** International premium rate and shared cost services. */
const specialCodes: ReadonlyMap<string, SpecialNumber> = new Map([
  ['979', 'premium'],
  ['808', 'shared_cost'],
]);

/**
 * Ranges that cost the caller extra but that libphonenumber does not know, knows only with complete numbers, or counts among company numbers. From
 * the national numbering plans: North America (NANPA: 976 information services), Egypt (NTRA: 0900), South Africa (ICASA: 086), the Netherlands
 * (ACM: 084 and 087 personal assistant, 0900 to 0909), Belgium (BIPT: 070, 077), Spain (CNMC: 80x and 907 premium, 901, 902 and 905 shared), Italy
 * (AGCOM, delibera 8/15/CIR: 144, 166, 89x premium, 178 personal, 84x and 199 shared cost), the United Kingdom (Ofcom: 084 and 087 service, 09 premium, 070
 * personal, 076 paging, 118 directories), Germany (Bundesnetzagentur: 012, 0190 and 0900 premium, 0137 mass traffic, 0180 service, 0700 personal, 0118
 * directories), Brazil (Anatel: 0300, 0500, 0900), Chile (Subtel: 600, 700), Australia (ACMA: 190), Thailand (NBTC: 1900), Japan (MIC: 0180, 0570,
 * 0990), South Korea (MSIT: 060), Portugal (ANACOM: 707, 708, 760 to 762), Ukraine (NKEK: 0900).
 */
const costlyRanges: Readonly<Record<string, ReadonlyArray<readonly [RegExp, SpecialNumber]>>> = {
  '1': [[/^\d{3}976/, 'premium']],
  '20': [[/^900/, 'premium']],
  '27': [[/^86[01]/, 'shared_cost']],
  '31': [
    [/^8[47]/, 'personal'],
    [/^90[069]/, 'premium'],
  ],
  '32': [
    [/^70/, 'shared_cost'],
    [/^77/, 'premium'],
  ],
  '34': [
    [/^90[125]/, 'shared_cost'],
    [/^(?:80[367]|907|118)/, 'premium'],
  ],
  '39': [
    [/^(?:84[0178]|199)/, 'shared_cost'],
    [/^178/, 'personal'],
    [/^(?:144|166|89[2459])/, 'premium'],
  ],
  '44': [
    [/^7(?:0|6(?!24))/, 'personal'],
    [/^8[47]/, 'shared_cost'],
    [/^(?:9|118)/, 'premium'],
  ],
  '49': [
    [/^1(?:37|80)/, 'shared_cost'],
    [/^700/, 'personal'],
    [/^(?:12|190|900|118)/, 'premium'],
  ],
  '55': [
    [/^300/, 'shared_cost'],
    [/^[59]00/, 'premium'],
  ],
  '56': [[/^[67]00/, 'shared_cost']],
  '61': [[/^190/, 'premium']],
  '66': [[/^1900/, 'premium']],
  '81': [
    [/^(?:180|570)/, 'shared_cost'],
    [/^990/, 'premium'],
  ],
  '82': [[/^60/, 'premium']],
  '351': [
    [/^70[78]/, 'shared_cost'],
    [/^76[0-2]/, 'premium'],
  ],
  '380': [[/^900/, 'premium']],
};

/** 911, 411 and similar codes, as an area code; directory assistance, and the only other line of 555 that is in use. Area code 555 is fiction. */
const serviceCode = /^(?:[2-9]11|(?!555)\d{3}555(?:1212|4334)$)/;

/**
 * Decides whether an E.164 number may be dialed at all. libphonenumber determines the possible lengths and, with `costlyRanges`, the kind of number.
 * Numbers reserved for fiction (area code 555, and lines 555-0100 to 555-0199 of an area code) are judged like all others.
 */
export function judgeDestination(e164: string, rules: DestinationRules): Destination {
  const split = splitNumber(e164);
  if (split === null) return { kind: 'refused', reason: 'impossible' };
  const { callingCode, national, plan } = split;
  const special = specialOf(callingCode, national, plan);
  if (special !== null && !rules.allowedSpecial.includes(special)) {
    return { kind: 'refused', reason: special };
  }
  if (national.startsWith('0') && withoutTrunkZero(e164) !== null) {
    return { kind: 'refused', reason: 'trunk_zero' };
  }
  if (special === null && !plan.possibleLengths.has(national.length)) {
    const isOldMexican = withoutOldMexicanPrefix(e164) !== null;
    return { kind: 'refused', reason: isOldMexican ? 'old_mexican_prefix' : 'impossible' };
  }
  return isInCountries(national, plan, rules.allowedCountries)
    ? allowed
    : { kind: 'refused', reason: 'country_not_allowed' };
}

function splitNumber(e164: string): { callingCode: string; national: string; plan: NumberingPlan } | null {
  // No calling code is a prefix of another, so the first one in use is the right one.
  for (let digits = 1; digits <= 3; digits++) {
    const callingCode = e164.slice(1, 1 + digits);
    const plan = numberingPlan(callingCode);
    if (plan !== null) return { callingCode, national: e164.slice(1 + digits), plan };
  }
  return null;
}

export interface NumberCountry {
  callingCode: string;
  /** Usually one. Several if a shared calling code does not distinguish them, none for global codes. */
  countries: readonly string[];
  /** Whether its digits indicate a place within the country: those of a fixed line. Owners of mobile numbers move with them, and of other numbers nothing is known. */
  isPlaced: boolean;
}

/** In Mexico and Brazil, mobile numbers begin with the area code of the place where they were sold, as in North America. */
const placedMobileCodes = new Set(['52', '55']);

/** The country of a number, by libphonenumber; the main country of a shared code if its plan has such numbers. */
export function countryOfNumber(e164: string): NumberCountry {
  const split = splitNumber(e164);
  if (split === null) return { callingCode: '', countries: [], isPlaced: false };
  const { callingCode, national, plan } = split;
  const member = plan.members.find(({ matches }) => matches.test(national));
  const isFixedLine = plan.fixedLine?.test(national) === true;
  const isMobile = plan.mobile?.test(national) === true;
  return {
    callingCode,
    countries: member === undefined || plan.countries.length === 0 ? plan.countries : [member.country],
    isPlaced: placedMobileCodes.has(callingCode) || (isFixedLine && !isMobile),
  };
}

function specialOf(callingCode: string, national: string, plan: NumberingPlan): SpecialNumber | null {
  if (satelliteCodes.has(callingCode)) return 'satellite';
  const special = specialCodes.get(callingCode);
  if (special !== undefined) return special;
  if (callingCode === '1' && serviceCode.test(national)) return 'emergency';
  const range = costlyRanges[callingCode]?.find(([pattern]) => pattern.test(national));
  if (range !== undefined) return range[1];
  if (plan.premium?.test(national) === true) return 'premium';
  if (plan.personal?.test(national) === true) return 'personal';
  return plan.sharedCost?.test(national) === true ? 'shared_cost' : null;
}

function isInCountries(
  national: string,
  { countries, members }: NumberingPlan,
  allowedCountries: readonly string[] | null,
): boolean {
  if (allowedCountries === null) return true;
  // A global code, such as an international freephone number, is in no country.
  if (!countries.some((country) => allowedCountries.includes(country))) return false;
  if (countries.every((country) => allowedCountries.includes(country))) return true;
  const country = members.find(({ matches }) => matches.test(national))?.country ?? countries[0];
  return country !== undefined && allowedCountries.includes(country);
}

const reasons: Record<(Destination & { kind: 'refused' })['reason'], string> = {
  impossible: 'This is not a possible phone number',
  old_mexican_prefix: 'This is not a possible phone number: leave the 1 after +52 out',
  trunk_zero: 'This is not a possible phone number: leave the 0 after the country code out',
  country_not_allowed: 'The organization may not call this country',
  premium: 'Premium rate numbers may not be called',
  shared_cost: 'Shared cost numbers may not be called',
  personal: 'Personal numbers and pagers, which cost extra, may not be called',
  satellite: 'Satellite numbers may not be called',
  emergency: 'Emergency and service numbers may not be called',
};

/** A sentence for the caller that sent the number. */
export function refusalOf(destination: Destination): string | null {
  return destination.kind === 'allowed' ? null : reasons[destination.reason];
}
