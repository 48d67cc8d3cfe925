import { sql, type RawBuilder } from 'kysely';

/** A planned attempt of a waiting recipient, and the policy that applies to it. */
export interface PlannedAttempt {
  /** Earlier attempts in all rounds and in this round, which is 0 if the attempt begins a round. */
  attempts: RawBuilder<unknown>;
  round_attempts: RawBuilder<unknown>;
  last_outcome: RawBuilder<unknown>;
  /** Whether it begins a round that a caller requested, which any policy allows. */
  is_requested_round: RawBuilder<unknown>;
  max_attempts: RawBuilder<unknown>;
  call_back_attempts: RawBuilder<unknown>;
  queue_again: RawBuilder<unknown>;
  retry_on: RawBuilder<unknown>;
}

/**
 * Whether the policy allows a planned attempt. The only copy of the rule of `core/retry-policy.ts`, for gates with hundreds of recipients. A property
 * test compares it with `decideStep`.
 */
export function isGivenByPolicy(of: PlannedAttempt): RawBuilder<unknown> {
  return sql`(${of.attempts} = 0 or (
    ${of.last_outcome} <> 'completed' and (coalesce(${of.is_requested_round}, false) or (
      (${of.max_attempts} is null or ${of.attempts} < ${of.max_attempts}) and ${of.last_outcome} = any(${of.retry_on})
      and case when ${of.round_attempts} = 0 then ${of.queue_again}
          else ${of.round_attempts} <= ${of.call_back_attempts} end))))`;
}
