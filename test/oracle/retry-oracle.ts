import type { DialingSchedule, LastCall, RetryPolicy } from '@outdial/core';
import { firstInstant, isAllDay, isOpen, nextOpen, stepMs, windowDate } from './dialing-oracle.ts';
import { wallClock } from './wall-clock.ts';

/** Why no attempt follows, or when the next may be made and as which attempt of which round. */
export type Verdict = { never: string } | { at: number; round: number; roundAttempt: number };

/** Walks the sequence of the outcome from call-back to call-back, and stays at its end. */
function delaySeconds({ retryDelaysSeconds: given, retryDelaySeconds }: RetryPolicy, last: LastCall): number {
  let delay = retryDelaySeconds;
  for (const [key, value] of Object.entries<number | number[]>(given ?? {})) {
    // A list has places for keys, and lists by outcome have outcomes.
    if (typeof value === 'number' && Number(key) < last.roundAttempt) {
      delay = value;
    }
    if (typeof value !== 'number' && key === last.outcome) {
      delay = value.slice(0, last.roundAttempt).at(-1) ?? delay;
    }
  }
  return delay;
}

/** What has to follow for a recipient from its last call: the rules as docs/behaviour.md tells them. */
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
    // Offsets are whole steps, so clocks everywhere show this time at the same place of a step.
    isAllDay(schedule) ? timeOfDay % stepMs : 0,
  );
  return at === null ? { never: 'campaign_over' } : { at, round: last.round + 1, roundAttempt: 1 };
}
