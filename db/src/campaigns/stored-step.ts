import { decideStoredStep, type CampaignRules, type Outcome, type StoredStep } from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';

/** What `stepOfRow` reads. */
export interface StoredStepRow {
  calling_key: string;
  withdrawn_at: Date | null;
  first_attempt_at: Date | null;
  attempts: number;
  round: number;
  round_attempts: number;
  requested_round: number | null;
  last_outcome: Outcome | null;
  next_attempt_at: Date | null;
  call_round: number | null;
  call_round_attempt: number | null;
  call_gated_at: Date | null;
  call_ended_at: Date | null;
  call_outcome: Outcome | null;
}

/** Of a recipient `r` and its last call `l`, which a left join leaves null if it was deleted. */
export const storedStepColumns: RawBuilder<unknown> = sql`
  r.calling_key, r.withdrawn_at, r.first_attempt_at, r.attempts, r.round, r.round_attempts, r.requested_round, r.last_outcome, r.next_attempt_at,
  l.round as call_round, l.round_attempt as call_round_attempt, l.gated_at as call_gated_at,
  coalesce(l.corrected_at, l.ended_at) as call_ended_at, l.outcome as call_outcome`;

export function stepOfRow(row: StoredStepRow, rules: CampaignRules, now: Date): StoredStep {
  const recipient = {
    callingKey: row.calling_key,
    withdrawn: row.withdrawn_at !== null,
    firstAttemptAt: row.first_attempt_at,
    attempts: row.attempts,
    round: row.round,
    roundAttempts: row.round_attempts,
    requestedRound: row.requested_round,
    lastOutcome: row.last_outcome,
    nextAttemptAt: row.next_attempt_at,
  };
  const call = {
    round: row.call_round,
    roundAttempt: row.call_round_attempt,
    gatedAt: row.call_gated_at,
    endedAt: row.call_ended_at,
    outcome: row.call_outcome,
  };
  return decideStoredStep(rules, recipient, call, now);
}
