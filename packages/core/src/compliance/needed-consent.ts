import type { CampaignPurpose } from './campaign-purpose.ts';
import { type CallingKey, policyOfKey, resolveKey } from './calling-key.ts';
import type { CallingPolicy } from './calling-policy.ts';
import { consentBases, type ConsentBasis } from './consent.ts';

/** The consent that the rules of a key ask for. */
export interface NeededConsent {
  purpose: CampaignPurpose;
  /** The bases that all of the rules accept. */
  bases: ConsentBasis[];
  rules: Array<{ jurisdiction: string; name: string; citation: string }>;
}

/**
 * The consent that a call needs by the rules of its key; null if they ask for none. Rules ask only under `strict`. Null for a key of an earlier policy
 * too, which the gate does not dial.
 * @param purpose a missing one counts as marketing
 */
export function neededConsent(
  key: CallingKey,
  of: { callingPolicy: CallingPolicy; purpose: CampaignPurpose | null },
): NeededConsent | null {
  if (of.callingPolicy !== 'strict' || policyOfKey(key) !== 'strict') return null;
  const purpose = of.purpose ?? 'marketing';
  const asking = new Map<string, NeededConsent['rules'][number]>();
  const accepted: Array<readonly ConsentBasis[]> = [];
  for (const { rule } of resolveKey(key).rules) {
    const need = rule.consent?.[purpose];
    if (need === undefined || asking.has(rule.jurisdiction)) continue;
    const { jurisdiction, name } = rule;
    asking.set(jurisdiction, { jurisdiction, name, citation: need.citation });
    accepted.push(need.bases);
  }
  if (accepted.length === 0) return null;
  const bases = consentBases.filter((basis) => accepted.every((some) => some.includes(basis)));
  return { purpose, bases, rules: [...asking.values()] };
}

/** What to do about a missing consent, for people. */
export function consentRemedy({ purpose, bases, rules }: NeededConsent): string {
  const laws = rules.map(({ name, citation }) => `${name} (${citation})`).join('; ');
  const kinds =
    bases.length === 0 ? 'that satisfies all of these rules, which none does' : bases.join(' or ');
  const other = purpose === 'marketing' ? ', or name the purpose of the call if it is not marketing' : '';
  return `The rules of ${laws} ask for a consent to calls of the purpose ${purpose}, of the kind ${kinds}. Record the consent of the person with POST /api/v1/consents${other}.`;
}
