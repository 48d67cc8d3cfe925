import type { CallingPolicy } from './calling-policy.ts';
import type { CallingRule } from './calling-rule.ts';
import { overlaid, type OverlayFault, type RuleOverlay } from './rule-overlay.ts';
import { builtInRules, elsewhereJurisdiction } from './rules/index.ts';

/** United States federal law also applies in these territories, which ISO 3166 lists as countries. */
export const territoriesOfTheUnitedStates: ReadonlySet<string> = new Set(['AS', 'GU', 'MP', 'PR', 'VI']);
/** The law of France about calls also applies in these departments, and Australia's in these territories; ISO 3166 lists them as countries. */
const overseas: ReadonlyMap<string, string> = new Map([
  ...['GF', 'GP', 'MQ', 'RE', 'YT'].map((department) => [department, 'FR'] as const),
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

let rules: ReadonlyMap<string, CallingRule> = byJurisdiction(builtInRules);

function byJurisdiction(list: readonly CallingRule[]): ReadonlyMap<string, CallingRule> {
  return new Map(list.map((rule) => [rule.jurisdiction, rule]));
}

/** Sets or, with null, removes the operator's rules for this process. Returns their faults, and then changes nothing. */
export function setOverlay(overlay: RuleOverlay | null): OverlayFault | null {
  if (overlay === null) {
    rules = byJurisdiction(builtInRules);
    return null;
  }
  const result = overlaid(builtInRules, overlay, { elsewhere: elsewhereJurisdiction, lawOf });
  if ('fault' in result) return result.fault;
  rules = byJurisdiction(result.rules);
  return null;
}

function lawOf(country: string): string {
  if (territoriesOfTheUnitedStates.has(country)) return 'US';
  return overseas.get(country) ?? neighbours.get(country) ?? country;
}

/** The country of a jurisdiction: `US` of `US-FL`. */
export function countryOf(jurisdiction: string): string {
  return jurisdiction.slice(0, 2);
}

/** Whether a region has a rule in addition to its country's. */
export function hasRegionalRule(region: string): boolean {
  return region.length > 2 && rules.has(region);
}

export function regionsWithRules(country: string): string[] {
  return [...rules.keys()].filter((one) => one.length > 2 && countryOf(one) === country);
}

/** The rules that apply in a jurisdiction: its country's, and with `strict` also its region's. */
export function rulesOf(jurisdiction: string, policy: Exclude<CallingPolicy, 'none'>): CallingRule[] {
  const country = countryOf(jurisdiction);
  const found = [rules.get(lawOf(country)) ?? rules.get(elsewhereJurisdiction)];
  if (policy === 'strict' && jurisdiction !== country) found.push(rules.get(jurisdiction));
  return found.filter((rule) => rule !== undefined);
}
