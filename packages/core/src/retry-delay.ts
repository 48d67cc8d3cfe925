import type { Outcome } from './outcome.ts';

/** Seconds before the first call-back of a round, the second, and so on; the last value repeats. */
export type DelaySequence = number[];

/** One sequence for all outcomes, or one for each named outcome. */
export type RetryDelays = DelaySequence | Partial<Record<Exclude<Outcome, 'completed'>, DelaySequence>>;

export interface DelayRule {
  /** Applies if no sequence does. */
  retryDelaySeconds: number;
  /** Null: `retryDelaySeconds` before every call-back. */
  retryDelaysSeconds: RetryDelays | null;
}

/**
 * Seconds from the end of an attempt to the call-back that follows it.
 * @param roundAttempt the number of that attempt in its round, from 1: a new round begins with the first delay.
 */
export function retryDelay(rule: DelayRule, outcome: Outcome, roundAttempt: number): number {
  const sequence = sequenceFor(rule.retryDelaysSeconds, outcome);
  return sequence?.[Math.min(roundAttempt, sequence.length) - 1] ?? rule.retryDelaySeconds;
}

function sequenceFor(delays: RetryDelays | null, outcome: Outcome): DelaySequence | undefined {
  if (delays === null || outcome === 'completed') return undefined;
  return Array.isArray(delays) ? delays : delays[outcome];
}
