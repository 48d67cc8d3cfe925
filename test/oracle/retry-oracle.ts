import type { DialingSchedule, LastCall, RetryPolicy } from '@outdial/core';
import { firstInstant, isAllDay, isOpen, nextOpen, stepMs, windowDate } from './dialing-oracle.ts';
import { wallClock } from './wall-clock.ts';

/** Why there is no further attempt, or the time, number and round of the next one. */
export type Verdict = { never: string } | { at: number; round: number; roundAttempt: number };

/** Takes the next delay of the outcome's sequence for each call-back; the last one repeats. */
function delaySeconds({ retryDelaysSeconds: given, retryDelaySeconds }: RetryPolicy, last: LastCall): number {
  let delay = retryDelaySeconds;
  for (const [key, value] of Object.entries<number | number[]>(given ?? {})) {
    // A list has indexes as keys; lists by outcome have outcomes.
    if (typeof value === 'number' && Number(key) < last.roundAttempt) {
      delay = value;
    }
    if (typeof value !== 'number' && key === last.outcome) {
      delay = value.slice(0, last.roundAttempt).at(-1) ?? delay;
    }
  }
  return delay;
}

/** The next step of a recipient after its last call, by the rules of docs/behaviour.md. */
export function verdictOf(args: {
  policy: RetryPolicy;
  schedule: DialingSchedule;
  zone: string;
  last: LastCall;
  firstAttemptAt: Date;
}): Verdict {
  const { policy, schedule, zone, last } = args;
  if (last.outcome === 'completed') return { never: 'reached' };
  if (!policy.retryOn.some((outcome) => outcome === last.outcome)) return { never: 'not_retryable' };
  if (policy.maxAttemptsPerRecipient !== null && last.attempt >= policy.maxAttemptsPerRecipient) {
    return { never: 'max_attempts' };
  }
  const hasCallBacksLeft = last.roundAttempt < policy.callBackAttempts + 1;
  if (!hasCallBacksLeft && !policy.queueAgain) return { never: 'attempts_used' };
  const from = last.endedAt.getTime() + (hasCallBacksLeft ? delaySeconds(policy, last) * 1000 : 0);
  const dateOfRound = windowDate(schedule, zone, last.gatedAt.getTime());
  if (hasCallBacksLeft) {
    const opens = nextOpen(schedule, zone, from);
    if (opens === null) return { never: 'campaign_over' };
    const isSameDay = windowDate(schedule, zone, opens) <= dateOfRound;
    if (isSameDay || !policy.queueAgain) {
      return { at: from, round: last.round, roundAttempt: last.roundAttempt + 1 };
    }
  }
  if (schedule.endAt === null && last.round >= 10) return { never: 'rounds_used' };
  const timeOfDay = wallClock(zone, args.firstAttemptAt.getTime()).msOfDay;
  const at = firstInstant(
    schedule,
    from,
    (instant) =>
      isOpen(schedule, zone, instant) &&
      windowDate(schedule, zone, instant) > dateOfRound &&
      (!isAllDay(schedule) || wallClock(zone, instant).msOfDay >= timeOfDay),
    // Offsets are whole steps, so this time has the same position within a step in every zone.
    isAllDay(schedule) ? timeOfDay % stepMs : 0,
  );
  return at === null ? { never: 'campaign_over' } : { at, round: last.round + 1, roundAttempt: 1 };
}
