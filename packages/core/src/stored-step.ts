import type { Outcome } from './outcome.ts';
import { decideStep, type CampaignRules, type RecipientStep } from './recipient-step.ts';
import { retryDelay } from './retry-delay.ts';

/** The row of a recipient, and what is stored of its last call: nothing if the call was deleted. */
export interface StoredStepRow {
  calling_key: string;
  /** When it was taken off the list. */
  withdrawn_at: Date | null;
  first_attempt_at: Date | null;
  /** Over all rounds. */
  attempts: number;
  /** Its round, and its attempts in it, which are 0 if the round has not begun. */
  round: number;
  round_attempts: number;
  /** The last round that a caller requested. */
  requested_round: number | null;
  last_outcome: Outcome | null;
  next_attempt_at: Date | null;
  call_round: number | null;
  call_round_attempt: number | null;
  call_gated_at: Date | null;
  /** When its outcome became known, or was corrected. */
  call_ended_at: Date | null;
  call_outcome: Outcome | null;
}

/** The next step of a recipient, and the history that decided it. */
export type StoredStep = RecipientStep & {
  attempts: number;
  /** Null if no call is left. */
  lastOutcome: Outcome | null;
};

/** Decides the next step of a recipient (`decideStep`). Its row has to suffice for what is not stored of its last call. */
export function decideStoredStep(rules: CampaignRules, row: StoredStepRow, now: Date): StoredStep {
  const { attempts, round, round_attempts: roundAttempts, next_attempt_at: nextAttemptAt } = row;
  const hasBegun = roundAttempts > 0;
  // Without any outcome it is not known how the call ended.
  const outcome = row.call_outcome ?? row.last_outcome ?? 'unknown';
  const roundAttempt = row.call_round_attempt ?? (hasBegun ? roundAttempts : attempts);
  // One delay before the planned attempt.
  const endedBeforePlan = () =>
    nextAttemptAt &&
    new Date(nextAttemptAt.getTime() - retryDelay(rules.policy, outcome, roundAttempt) * 1000);
  const step = decideStep({
    rules,
    recipient: {
      callingKey: row.calling_key,
      withdrawn: row.withdrawn_at !== null,
      firstAttemptAt: row.first_attempt_at,
      requestedRound: row.requested_round === round ? round : null,
    },
    last: {
      attempt: attempts,
      round: row.call_round ?? Math.max(1, hasBegun ? round : round - 1),
      roundAttempt,
      gatedAt: row.call_gated_at ?? row.first_attempt_at ?? now,
      endedAt: row.call_ended_at ?? endedBeforePlan() ?? now,
      outcome,
    },
  });
  return { ...step, attempts, lastOutcome: outcome };
}
