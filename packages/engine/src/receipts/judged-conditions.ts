import { gateConditions, type GateFact, type GateReason } from '@outdial/db';

/** `not_applicable`: the condition could not have refused this call. */
export type Verdict = 'holds' | 'fails' | 'not_applicable';

export interface JudgedCondition {
  condition: GateReason;
  verdict: Verdict;
  text: string;
}

/** Each condition of the gate with its verdict, in the order of evaluation. */
export function judgedConditions(
  facts: Record<GateFact, boolean>,
  holds: (reason: GateReason) => boolean,
): JudgedCondition[] {
  return gateConditions.map(({ reason, text, appliesIf }) => {
    const applies = appliesIf === 'always' || facts[appliesIf];
    return {
      condition: reason,
      verdict: holds(reason) ? (applies ? 'holds' : 'not_applicable') : 'fails',
      text,
    };
  });
}

/** The condition for which a gate refused the call finally. Empty if the call ended for another reason, such as a hang-up. */
export function failedCondition(refusedBy: string | null): JudgedCondition[] {
  return gateConditions
    .filter(({ reason }) => reason === refusedBy)
    .map(({ reason, text }) => ({ condition: reason, verdict: 'fails', text }));
}
