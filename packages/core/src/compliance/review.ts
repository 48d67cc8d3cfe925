import { dayMs } from '../local-date.ts';
import { type CallingKey, resolveKey } from './calling-key.ts';
import type { CallingRule } from './calling-rule.ts';
import { builtInDisclosure } from './opening.ts';
import { recordingLawSource } from './recording-law.ts';

/** How long a reading of a text counts. After that, somebody should read it again. */
export const reviewDays = 180;

/** A text of the law, and when it was last read. */
export interface Reading {
  name: string;
  /** yyyy-MM-dd */
  asOf: string;
}

/** The rules of these keys, and what counts for all calls under a policy, that were last read too long ago. */
export function reviewsDue(keys: readonly CallingKey[], now: Date): Reading[] {
  const rules = rulesOfKeys(keys);
  if (rules.length === 0) return [];
  return [...rules.map(readingOf), builtInDisclosure, recordingLawSource]
    .filter(({ asOf }) => Date.parse(asOf) + reviewDays * dayMs <= now.getTime())
    .map(({ name, asOf }) => ({ name, asOf }));
}

/** A rule with the earliest of its dates: that of its hours, caps and ages of lists, and that of its consents, if they were read. */
export function readingOf({ name, source, consent }: CallingRule): Reading {
  const consents = consent?.asOf ?? source.asOf;
  return { name, asOf: consents < source.asOf ? consents : source.asOf };
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
