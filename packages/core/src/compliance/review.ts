import { dayMs } from '../local-date.ts';
import { type CallingKey, resolveKey } from './calling-key.ts';
import type { CallingRule } from './calling-rule.ts';
import { builtInDisclosure } from './opening.ts';

/** How long a reading of a text counts. After that, somebody should read it again. */
export const reviewDays = 180;

export interface DueReview {
  name: string;
  citation: string;
  /** yyyy-MM-dd */
  asOf: string;
  dueAt: Date;
}

/** The rules of these keys, and the built-in disclosure, that were last read too long ago. */
export function reviewsDue(keys: readonly CallingKey[], now: Date): DueReview[] {
  const rules = rulesOfKeys(keys);
  if (rules.length === 0) return [];
  const read = rules.map(({ name, source }) => ({ name, citation: source.citation, asOf: source.asOf }));
  return [...read, builtInDisclosure].flatMap((one) => {
    const dueAt = new Date(Date.parse(one.asOf) + reviewDays * dayMs);
    return dueAt <= now ? [{ ...one, dueAt }] : [];
  });
}

/** The rules of these keys that require a natural voice before an artificial one. */
export function naturalVoiceFirst(keys: readonly CallingKey[]): CallingRule[] {
  return rulesOfKeys(keys).filter((rule) => rule.naturalVoiceFirst !== undefined);
}

/** Each once. */
function rulesOfKeys(keys: readonly CallingKey[]): CallingRule[] {
  const rules = new Map<string, CallingRule>();
  for (const key of keys) for (const { rule } of resolveKey(key).rules) rules.set(rule.jurisdiction, rule);
  return [...rules.values()];
}
