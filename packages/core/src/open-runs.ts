import { dailyHours, type DialingSchedule } from './dialing-schedule.ts';
import { dayMs, isWeekend, type LocalDay, localDayOf } from './local-date.ts';
import { common, type Interval } from './local-span.ts';
import type { TimeZone } from './time-zone.ts';

/** An uninterrupted stretch in which dialing is allowed, in one day's window. Epoch milliseconds, `toMs` exclusive. */
export interface OpenRun extends Interval {
  /** The local day on which the window opens by its hours, even if the weekend or `startAt` cuts off its beginning. */
  windowDay: LocalDay;
}

/**
 * Every run of the campaign's own window in [fromMs, toMs), in order; the first and the last are cut to that range. If the person may be
 * in one of several zones, the window is open while it is open in all of them; the first zone determines the days. Works on stretches of
 * constant offset, in which local time is plain arithmetic, so the cost grows with the number of days, not of minutes.
 */
export function openRuns(
  schedule: DialingSchedule,
  [first, ...others]: readonly TimeZone[],
  range: Interval,
): OpenRun[] {
  const fromMs = Math.max(range.fromMs, schedule.startAt.getTime());
  const toMs = Math.min(range.toMs, schedule.endAt?.getTime() ?? Number.POSITIVE_INFINITY);
  if (first === undefined || fromMs >= toMs) return [];
  let runs = runsInZone(schedule, first, { fromMs, toMs });
  for (const zone of others) runs = cutTo(runs, runsInZone(schedule, zone, { fromMs, toMs }));
  return runs;
}

function runsInZone(schedule: DialingSchedule, zone: TimeZone, range: Interval): OpenRun[] {
  const runs = runsOfHours(schedule, zone, range);
  return schedule.callOnWeekend ? runs : cutTo(runs, workingTimes(zone, range));
}

/** The parts of the runs that lie in one of the intervals, which are sorted and do not overlap. */
export function cutTo(runs: readonly OpenRun[], intervals: readonly Interval[]): OpenRun[] {
  const cut: OpenRun[] = [];
  for (const run of runs) {
    for (const { fromMs, toMs } of common([run], intervals)) {
      append(cut, { fromMs, toMs, windowDay: run.windowDay });
    }
  }
  return cut;
}

function runsOfHours(schedule: DialingSchedule, zone: TimeZone, range: Interval): OpenRun[] {
  const hours = dailyHours(schedule);
  const runs: OpenRun[] = [];
  for (const segment of zone.segments(range.fromMs, range.toMs)) {
    const lastDay = localDayOf(segment.toMs + segment.offsetMs);
    // With a window across midnight, the day before may reach into this stretch.
    for (let day = localDayOf(segment.fromMs + segment.offsetMs) - 1; day <= lastDay; day++) {
      const midnightMs = day * dayMs - segment.offsetMs;
      const fromMs = Math.max(segment.fromMs, midnightMs + hours.startMs);
      const toMs = Math.min(segment.toMs, midnightMs + hours.endMs);
      if (fromMs < toMs) append(runs, { fromMs, toMs, windowDay: day });
    }
  }
  return runs;
}

/** A clock change in the middle of a window does not close it: adjacent parts of one window form one run. */
function append(runs: OpenRun[], run: OpenRun): void {
  const last = runs.at(-1);
  if (last !== undefined && last.toMs === run.fromMs && last.windowDay === run.windowDay) {
    last.toMs = run.toMs;
  } else runs.push(run);
}

/** The times that are neither Saturday nor Sunday in a zone; adjacent ones are joined. */
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
