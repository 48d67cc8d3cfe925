import type { CallingPolicy } from './calling-policy.ts';
import type { CallingRule } from './calling-rule.ts';
import { looserThan } from './looser-rules.ts';
import { overlaid, type OverlayFault, type RuleOverlay } from './rule-overlay.ts';
import { builtInRules, elsewhereJurisdiction } from './rules/index.ts';

/** United States federal law also applies in these territories, which ISO 3166 lists as countries. */
export const territoriesOfTheUnitedStates: ReadonlySet<string> = new Set(['AS', 'GU', 'MP', 'PR', 'VI']);
/** The laws of these countries about calls also apply in places that ISO 3166 lists as countries. */
const overseas: ReadonlyMap<string, string> = new Map([
  ['AX', 'FI'],
  ['SJ', 'NO'],
  // The departments, and the collectivities where French laws apply of right (Code général des collectivités territoriales, LO6213-1, LO6313-1, LO6413-1).
  ...['GF', 'GP', 'MQ', 'RE', 'YT', 'BL', 'MF', 'PM'].map((place) => [place, 'FR'] as const),
  ...['CC', 'CX', 'NF'].map((territory) => [territory, 'AU'] as const),
]);
/** The laws of the United Kingdom and of Italy do not apply here, and the local laws name no hours, so a neighbour's rules are used. */
const neighbours: ReadonlyMap<string, string> = new Map([
  ['GG', 'GB'],
  ['IM', 'GB'],
  ['JE', 'GB'],
  ['SM', 'IT'],
  ['VA', 'IT'],
]);

type Rules = ReadonlyMap<string, CallingRule>;

let rules: Rules = byJurisdiction(builtInRules);
let version = 0;

function byJurisdiction(list: readonly CallingRule[]): Rules {
  return new Map(list.map((rule) => [rule.jurisdiction, rule]));
}

/** The version of the operator's rules that this process applies; 0 for none. */
export function rulesVersion(): number {
  return version;
}

/** Sets or, with null, removes the operator's rules for this process. Returns their faults, and then changes nothing. */
export function setOverlay(overlay: RuleOverlay | null, ofVersion: number): OverlayFault | null {
  const result = overlay === null ? { rules: [...builtInRules] } : withOverlay(overlay);
  if ('fault' in result) return result.fault;
  rules = byJurisdiction(result.rules);
  version = ofVersion;
  return null;
}

/** The rules under an overlay that is not applied; the applied ones if it does not fit this release, as no call is made under it. */
export function rulesUnder(overlay: RuleOverlay): Rules {
  const result = withOverlay(overlay);
  return 'fault' in result ? rules : byJurisdiction(result.rules);
}

function withOverlay(overlay: RuleOverlay) {
  return overlaid(builtInRules, overlay, { elsewhere: elsewhereJurisdiction, lawOf });
}

/** The faults of an overlay, without applying it, or in what its rules are looser than those that come with Outdial. */
export function judgeOverlay(
  overlay: RuleOverlay,
): { fault: OverlayFault } | { looser: Array<{ jurisdiction: string; looser: string[] }> } {
  const result = withOverlay(overlay);
  if ('fault' in result) return result;
  const builtIn = byJurisdiction(builtInRules);
  const own = result.rules.filter((rule) => rule.overlay !== undefined);
  const found = own.map((rule) => {
    // A state without a built-in rule only adds to its country's.
    const of =
      builtIn.get(rule.jurisdiction) ??
      (rule.jurisdiction.length > 2 ? rule : builtIn.get(elsewhereJurisdiction));
    return { jurisdiction: rule.jurisdiction, looser: of === undefined ? [] : looserThan(of, rule) };
  });
  return { looser: found.filter(({ looser }) => looser.length > 0) };
}

/** The country whose law about calls is used in a country. */
export function lawOf(country: string): string {
  if (territoriesOfTheUnitedStates.has(country)) return 'US';
  return overseas.get(country) ?? neighbours.get(country) ?? country;
}

/** The country of a jurisdiction: `US` of `US-FL`. */
export function countryOf(jurisdiction: string): string {
  return jurisdiction.slice(0, 2);
}

export function regionsWithRules(country: string): string[] {
  return [...rules.keys()].filter((one) => one.length > 2 && countryOf(one) === country);
}

/** The rules that apply in a jurisdiction: its country's, and with `strict` also its region's. */
export function rulesOf(
  jurisdiction: string,
  policy: Exclude<CallingPolicy, 'none'>,
  of = rules,
): CallingRule[] {
  const country = countryOf(jurisdiction);
  const found = [of.get(lawOf(country)) ?? of.get(elsewhereJurisdiction)];
  if (policy === 'strict' && jurisdiction !== country) found.push(of.get(jurisdiction));
  return found.filter((rule) => rule !== undefined);
}
