import type { GateRelease } from '@outdial/core';
import { gateConditions, type GateFact, type GateReason } from '@outdial/db';

/** `not_applicable`: the condition could not have refused this call. */
export type Verdict = 'holds' | 'fails' | 'not_applicable';

export interface JudgedCondition {
  condition: string;
  verdict: Verdict;
  text: string;
}

/** Each condition of this release with its verdict, in the order of evaluation. */
export function judgedConditions(
  facts: Record<GateFact, boolean>,
  holds: (reason: GateReason) => boolean,
): JudgedCondition[] {
  return gateConditions.map(({ reason, text, appliesIf }) => ({
    condition: reason,
    verdict: holds(reason) ? verdictOf(facts, appliesIf) : 'fails',
    text,
  }));
}

/** The conditions that a call passed, of the release whose gate decided; none if that is not known. */
export function passedConditions(
  facts: Record<GateFact, boolean>,
  release: GateRelease | null,
): JudgedCondition[] {
  const conditions = release?.conditions ?? [];
  return conditions.map(({ reason, text, applies_if: appliesIf }) => ({
    condition: reason,
    verdict: verdictOf(facts, appliesIf),
    text,
  }));
}

/** A condition of another release may depend on a fact that this one does not know; it held, since the call passed. */
function verdictOf(facts: Readonly<Record<string, boolean>>, appliesIf: string): Verdict {
  return facts[appliesIf] === false ? 'not_applicable' : 'holds';
}

/** The condition for which a gate refused the call finally. Empty if the call ended for another reason, such as a hang-up. */
export function failedCondition(refusedBy: string | null): JudgedCondition[] {
  return gateConditions
    .filter(({ reason }) => reason === refusedBy)
    .map(({ reason, text }) => ({ condition: reason, verdict: 'fails', text }));
}
