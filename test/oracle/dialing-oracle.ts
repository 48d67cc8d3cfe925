import type { DialingSchedule } from '@outdial/core';
import { dayBefore, isWeekendDate, wallClock } from './wall-clock.ts';

/**
 * When a campaign may dial, by looking at the clock: no arithmetic of intervals, no tables of offsets. It steps from one instant to the
 * next, so hours, starts of days and clock changes have to lie on these steps.
 */
export const stepMs = 5 * 60_000;
/** No schedule stays shut for longer, unless it is over. */
const longestWaitMs = 17 * 86_400_000;
const dayMs = 86_400_000;

function msOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return (hours * 60 + minutes) * 60_000;
}

export function isOpen(schedule: DialingSchedule, zone: string, at: number): boolean {
  if (at < schedule.startAt.getTime()) return false;
  if (schedule.endAt !== null && at >= schedule.endAt.getTime()) return false;
  if (!schedule.callOnWeekend && isWeekendDate(wallClock(zone, at).date)) return false;
  const start = msOf(schedule.startTime);
  const end = msOf(schedule.endTime);
  if (start === end || end - start === dayMs) return true;
  const { msOfDay } = wallClock(zone, at);
  return start < end ? msOfDay >= start && msOfDay < end : msOfDay >= start || msOfDay < end;
}

/** The date on which the window opened in which an instant lies; its own date where it lies in none. */
export function windowDate(schedule: DialingSchedule, zone: string, at: number): string {
  const start = msOf(schedule.startTime);
  const end = msOf(schedule.endTime);
  const { date, msOfDay } = wallClock(zone, at);
  return start > end && msOfDay < end ? dayBefore(date) : date;
}

/** Whether a window is as good as the whole day, so that no round begins with its opening. */
export function isAllDay(schedule: DialingSchedule): boolean {
  const start = msOf(schedule.startTime);
  const end = msOf(schedule.endTime);
  return start === end || (start === 0 && end >= dayMs - 60_000);
}

/**
 * The first instant from one on for which `accepts` holds, among those at which it can begin to hold: that one, and in each step its
 * first instant and the one `withinStepMs` after it. Null if there is none.
 */
export function firstInstant(
  schedule: DialingSchedule,
  from: number,
  accepts: (at: number) => boolean,
  withinStepMs = 0,
): number | null {
  const first = Math.max(from, schedule.startAt.getTime());
  const last = Math.min(first + longestWaitMs, schedule.endAt?.getTime() ?? Number.POSITIVE_INFINITY);
  for (let step = Math.floor(first / stepMs) * stepMs; step < last; step += stepMs) {
    for (const at of [step, step + withinStepMs, first].toSorted((one, other) => one - other)) {
      if (at >= first && at < last && at < step + stepMs && accepts(at)) return at;
    }
  }
  return null;
}

export function nextOpen(schedule: DialingSchedule, zone: string, from: number): number | null {
  return firstInstant(schedule, from, (at) => isOpen(schedule, zone, at));
}
