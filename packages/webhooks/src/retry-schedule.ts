/**
 * How long after each failed attempt the next one follows, in seconds: the schedule that Standard Webhooks recommends, four
 * days in all. After the last one the delivery has failed, and only a redelivery sends it.
 */
export const retryDelaysSeconds = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400] as const;

/** Delays are lengthened by a random part, up to this one, so that simultaneous failures are not retried simultaneously. */
const jitter = 0.1;
/** A receiver may request a longer delay, up to the longest one of the schedule. */
const longestWaitSeconds = 86_400;
const failingDaysUntilDisabled = 5;
const dayMs = 86_400_000;

/**
 * The step after a failed attempt.
 * @param attempts the number of attempts, including this one
 * @param retryAfterSeconds the receiver's `Retry-After`; null without one
 * @param random from 0 to 1
 */
export function nextAttempt(args: {
  attempts: number;
  retryAfterSeconds: number | null;
  now: Date;
  random: number;
}): { kind: 'retry'; at: Date } | { kind: 'give_up' } {
  const delay = retryDelaysSeconds[args.attempts - 1];
  if (delay === undefined) return { kind: 'give_up' };
  const asked = Math.min(args.retryAfterSeconds ?? 0, longestWaitSeconds);
  const seconds = Math.max(delay * (1 + jitter * args.random), asked);
  return { kind: 'retry', at: new Date(args.now.getTime() + seconds * 1000) };
}

/** An endpoint that has answered nothing but failures since this instant, or for longer, is switched off. */
export function failingTooLongSince(now: Date): Date {
  return new Date(now.getTime() - failingDaysUntilDisabled * dayMs);
}
