import { dailyHours, type DialingSchedule } from './dialing-schedule.ts';
import { dayMs, isWeekend, type LocalDay, localDayOf } from './local-date.ts';
import type { Interval } from './local-span.ts';
import type { TimeZone } from './time-zone.ts';

/** A stretch in which dialing is allowed without a break, on one day's window. Epoch milliseconds, `toMs` exclusive. */
export interface OpenRun extends Interval {
  /** The local day on which the window opens by its hours, also where the weekend or `startAt` cuts its beginning off. */
  windowDay: LocalDay;
}

/**
 * Every open run of [fromMs, toMs), in order, the first and the last cut to it. Works on stretches of constant offset, in which
 * local time is plain arithmetic, so its cost follows the number of days and not of minutes.
 */
export function openRuns(schedule: DialingSchedule, zone: TimeZone, range: Interval): OpenRun[] {
  const fromMs = Math.max(range.fromMs, schedule.startAt.getTime());
  const toMs = Math.min(range.toMs, schedule.endAt?.getTime() ?? Number.POSITIVE_INFINITY);
  if (fromMs >= toMs) return [];
  const runs = runsOfHours(schedule, zone, { fromMs, toMs });
  return schedule.callOnWeekend ? runs : withoutWeekends(runs, zone, { fromMs, toMs });
}

function runsOfHours(schedule: DialingSchedule, zone: TimeZone, range: Interval): OpenRun[] {
  const hours = dailyHours(schedule);
  const runs: OpenRun[] = [];
  for (const segment of zone.segments(range.fromMs, range.toMs)) {
    const lastDay = localDayOf(segment.toMs + segment.offsetMs);
    // The day before may reach into this stretch with a window across midnight.
    for (let day = localDayOf(segment.fromMs + segment.offsetMs) - 1; day <= lastDay; day++) {
      const midnightMs = day * dayMs - segment.offsetMs;
      const fromMs = Math.max(segment.fromMs, midnightMs + hours.startMs);
      const toMs = Math.min(segment.toMs, midnightMs + hours.endMs);
      if (fromMs < toMs) append(runs, { fromMs, toMs, windowDay: day });
    }
  }
  return runs;
}

/** A clock change in the middle of a window does not close it: what touches within one window is one run. */
function append(runs: OpenRun[], run: OpenRun): void {
  const last = runs.at(-1);
  if (last !== undefined && last.toMs === run.fromMs && last.windowDay === run.windowDay) {
    last.toMs = run.toMs;
  } else runs.push(run);
}

function withoutWeekends(runs: readonly OpenRun[], zone: TimeZone, range: Interval): OpenRun[] {
  const working = workingTimes(zone, range);
  const allowed: OpenRun[] = [];
  for (const run of runs) {
    for (const time of working) {
      const fromMs = Math.max(run.fromMs, time.fromMs);
      const toMs = Math.min(run.toMs, time.toMs);
      if (fromMs < toMs) allowed.push({ fromMs, toMs, windowDay: run.windowDay });
    }
  }
  return allowed;
}

/** The times that are neither Saturday nor Sunday in a zone, joined where they touch. */
function workingTimes(zone: TimeZone, range: Interval): Interval[] {
  const times: Interval[] = [];
  for (const segment of zone.segments(range.fromMs, range.toMs)) {
    const lastDay = localDayOf(segment.toMs + segment.offsetMs);
    for (let day = localDayOf(segment.fromMs + segment.offsetMs); day <= lastDay; day++) {
      if (isWeekend(day)) continue;
      const fromMs = Math.max(segment.fromMs, day * dayMs - segment.offsetMs);
      const toMs = Math.min(segment.toMs, (day + 1) * dayMs - segment.offsetMs);
      if (fromMs >= toMs) continue;
      const last = times.at(-1);
      if (last !== undefined && last.toMs === fromMs) last.toMs = toMs;
      else times.push({ fromMs, toMs });
    }
  }
  return times;
}
