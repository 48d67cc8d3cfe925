import { sql, type RawBuilder } from 'kysely';

/** Of a recipient that waits for an attempt, and of the policy that it is judged by. */
export interface PlannedAttempt {
  /** Attempts before it, of all rounds and of this round; none of this round where it begins a round. */
  attempts: RawBuilder<unknown>;
  round_attempts: RawBuilder<unknown>;
  last_outcome: RawBuilder<unknown>;
  /** Whether it begins a round that a caller asked for, under any policy. */
  is_asked_round: RawBuilder<unknown>;
  max_attempts: RawBuilder<unknown>;
  call_back_attempts: RawBuilder<unknown>;
  queue_again: RawBuilder<unknown>;
  retry_on: RawBuilder<unknown>;
}

/**
 * Whether a planned attempt is still one that the policy gives: the only other place in which the rule of `core/retry-policy.ts` is
 * written, for a gate that cannot ask it for each of hundreds of claims. A property test holds it against `decideStep`.
 */
export function isGivenByPolicy(of: PlannedAttempt): RawBuilder<unknown> {
  return sql`(${of.attempts} = 0 or (
    (${of.max_attempts} is null or ${of.attempts} < ${of.max_attempts}) and ${of.last_outcome} <> 'completed'
    and (coalesce(${of.is_asked_round}, false) or (
      ${of.last_outcome} = any(${of.retry_on})
      and case when ${of.round_attempts} = 0 then ${of.queue_again}
          else ${of.round_attempts} <= ${of.call_back_attempts} end))))`;
}
