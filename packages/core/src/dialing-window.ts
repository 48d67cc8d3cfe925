import { dailyHours, type DialingSchedule, windowDayOf } from './dialing-schedule.ts';
import { dayMs, formatLocalDate, isWeekend, localDayOf, parseLocalDate } from './local-date.ts';
import { largestOffsetMs } from './local-span.ts';
import { openRuns, type OpenRun } from './open-runs.ts';
import { timeZone, type TimeZone } from './time-zone.ts';

export type { DialingSchedule } from './dialing-schedule.ts';

export type WindowDecision =
  | {
      kind: 'open';
      opensAt: Date;
      /** The first instant after `now` at which this window does not allow dialing; the next day's may begin there. */
      closesAt: Date;
      /** yyyy-MM-dd, in the recipient's zone: the day on which this window opened, which keys the round. */
      localDate: string;
    }
  | { kind: 'closed'; opensAt: Date; reason: 'not_started' | 'outside_hours' | 'weekend' }
  /** The end has passed, or no window opens again before it. */
  | { kind: 'over' };

/** A run lasts a day at most, and two where a zone lives through one date twice; so this much before and after shows it whole. */
const longestRunMs = 2 * dayMs + 1;
/** Most waits end within these. */
const usualWaitMs = 3 * dayMs;
/**
 * Every wait ends within this. Five days of each week are open for some time; a clock change can swallow the hours of one of
 * them, and a change of the date line one more.
 */
const longestWaitMs = 16 * dayMs;

/**
 * May a recipient be dialed now? The wall clock in the recipient's zone is the rule, for hours and for Saturdays and Sundays
 * (docs/behaviour.md).
 * Throws `UnknownTimeZoneError` and `InvalidScheduleError`, on which a gate fails closed.
 */
export function dialingWindow(schedule: DialingSchedule, zone: string, now: Date): WindowDecision {
  const recipientZone = timeZone(zone);
  const nowMs = now.getTime();
  const range = { fromMs: nowMs - longestRunMs, toMs: nowMs + longestRunMs };
  const current = openRuns(schedule, recipientZone, range).find(
    (run) => run.fromMs <= nowMs && nowMs < run.toMs,
  );
  if (current !== undefined) return openDecision(current);

  const next = firstRun(schedule, recipientZone, nowMs, () => true);
  if (next === null) return { kind: 'over' };
  return {
    kind: 'closed',
    opensAt: new Date(next.fromMs),
    reason: whyClosed(schedule, recipientZone, nowMs),
  };
}

function openDecision(run: OpenRun): WindowDecision {
  return {
    kind: 'open',
    opensAt: new Date(run.fromMs),
    closesAt: new Date(run.toMs),
    localDate: formatLocalDate(run.windowDay),
  };
}

function whyClosed(schedule: DialingSchedule, zone: TimeZone, nowMs: number) {
  if (nowMs < schedule.startAt.getTime()) return 'not_started';
  if (!schedule.callOnWeekend && isWeekend(localDayOf(zone.localMs(nowMs)))) return 'weekend';
  return 'outside_hours';
}

/** The first run that ends after an instant and is accepted, cut to begin no earlier than that instant. */
function firstRun(
  schedule: DialingSchedule,
  zone: TimeZone,
  afterMs: number,
  accepts: (run: OpenRun) => boolean,
): OpenRun | null {
  const fromMs = Math.max(afterMs, schedule.startAt.getTime());
  for (const waitMs of [usualWaitMs, longestWaitMs]) {
    const run = openRuns(schedule, zone, { fromMs, toMs: fromMs + waitMs }).find(accepts);
    if (run !== undefined) return run;
  }
  return null;
}

export type RoundOpening = { kind: 'opens'; at: Date; localDate: string } | { kind: 'over' };

/**
 * When a recipient's next round begins: on the next local day after `roundDate` on which the campaign may dial. It opens with
 * that day's window, or, where the window is all day, at the wall-clock time of the recipient's first attempt, since midnight
 * would be a rude hour; where that time of that day is not open (before `startAt`), with the day's next open instant. Never
 * before `now`.
 */
export function nextRoundOpening(
  schedule: DialingSchedule,
  zone: string,
  args: { roundDate: string; firstAttemptAt: Date },
  now: Date,
): RoundOpening {
  const recipientZone = timeZone(zone);
  const { isAllDay } = dailyHours(schedule);
  const firstAttemptLocalMs = recipientZone.localMs(args.firstAttemptAt.getTime());
  const timeOfDayMs = firstAttemptLocalMs - localDayOf(firstAttemptLocalMs) * dayMs;

  const earliestMs = (run: OpenRun) =>
    isAllDay ? Math.max(run.fromMs, firstInstantFrom(recipientZone, run, timeOfDayMs)) : run.fromMs;
  const roundDay = parseLocalDate(args.roundDate);
  if (roundDay === null) throw new RangeError(`not a date: ${args.roundDate}`);
  // No zone reaches the next date earlier than this.
  const nextDateMs = (roundDay + 1) * dayMs - largestOffsetMs;
  const run = firstRun(
    schedule,
    recipientZone,
    Math.max(now.getTime(), nextDateMs),
    (one) => one.windowDay > roundDay && earliestMs(one) < one.toMs,
  );
  if (run === null) return { kind: 'over' };
  return { kind: 'opens', at: new Date(earliestMs(run)), localDate: formatLocalDate(run.windowDay) };
}

/** The first instant of a run at which its day's wall clock shows a time of day or, where that is skipped, a later one. */
function firstInstantFrom(zone: TimeZone, run: OpenRun, timeOfDayMs: number): number {
  const localMs = run.windowDay * dayMs + timeOfDayMs;
  for (const segment of zone.segments(run.fromMs, run.toMs)) {
    const atMs = Math.max(segment.fromMs, localMs - segment.offsetMs);
    if (atMs < segment.toMs) return atMs;
  }
  return run.toMs;
}

/** The local date of the window in which an instant lies by its hours, or its own local date where it lies in none. */
export function windowDateOf(schedule: DialingSchedule, zone: string, at: Date): string {
  return formatLocalDate(windowDayOf(dailyHours(schedule), timeZone(zone).localMs(at.getTime())));
}
