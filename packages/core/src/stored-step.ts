import type { Outcome } from './outcome.ts';
import { decideStep, type CampaignRules, type RecipientStep } from './recipient-step.ts';
import { retryDelay } from './retry-delay.ts';

export interface StoredRecipient {
  callingKey: string;
  /** It was taken off the list. */
  withdrawn: boolean;
  firstAttemptAt: Date | null;
  /** Over all rounds. */
  attempts: number;
  /** Its round, and its attempts in it, which are 0 if the round has not begun. */
  round: number;
  roundAttempts: number;
  /** The last round that a caller requested. */
  requestedRound: number | null;
  lastOutcome: Outcome | null;
  /** When its next attempt is planned. */
  nextAttemptAt: Date | null;
}

/** What is stored of its last call: nothing if the call was deleted, and no round if it is from before rounds were stored. */
export interface StoredCall {
  round: number | null;
  roundAttempt: number | null;
  gatedAt: Date | null;
  /** When its outcome became known, or was corrected. */
  endedAt: Date | null;
  outcome: Outcome | null;
}

/** The next step of a recipient, and the history that decided it. */
export type StoredStep = RecipientStep & {
  attempts: number;
  /** Null if no call is left. */
  lastOutcome: Outcome | null;
};

/** Decides the next step of a recipient (`decideStep`). The recipient's row has to suffice for what is not stored of its last call. */
export function decideStoredStep(
  rules: CampaignRules,
  recipient: StoredRecipient,
  call: StoredCall,
  now: Date,
): StoredStep {
  const { attempts, round, roundAttempts, requestedRound, nextAttemptAt, firstAttemptAt } = recipient;
  const hasBegun = roundAttempts > 0;
  // Without any outcome it is not known how the call ended.
  const outcome = call.outcome ?? recipient.lastOutcome ?? 'unknown';
  const roundAttempt = call.roundAttempt ?? (hasBegun ? roundAttempts : attempts);
  // One delay before the planned attempt.
  const endedBeforePlan = () =>
    nextAttemptAt &&
    new Date(nextAttemptAt.getTime() - retryDelay(rules.policy, outcome, roundAttempt) * 1000);
  const step = decideStep({
    rules,
    recipient: { ...recipient, requestedRound: requestedRound === round ? round : null },
    last: {
      attempt: attempts,
      round: call.round ?? Math.max(1, hasBegun ? round : round - 1),
      roundAttempt,
      gatedAt: call.gatedAt ?? firstAttemptAt ?? now,
      endedAt: call.endedAt ?? endedBeforePlan() ?? now,
      outcome,
    },
  });
  return { ...step, attempts, lastOutcome: outcome };
}
