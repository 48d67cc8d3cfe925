import type { DialingSchedule } from '@outdial/core';
import { dayBefore, isWeekendDate, wallClock } from './wall-clock.ts';

/**
 * When a campaign may dial, without interval arithmetic or offset tables: it reads the wall clock at one instant after another. Hours, starts of days
 * and clock changes must coincide with these steps.
 */
export const stepMs = 5 * 60_000;
/** No schedule is closed for longer, unless it is over. */
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

/** The opening date of the window that contains an instant; the instant's own date if no window does. */
export function windowDate(schedule: DialingSchedule, zone: string, at: number): string {
  const start = msOf(schedule.startTime);
  const end = msOf(schedule.endTime);
  const { date, msOfDay } = wallClock(zone, at);
  return start > end && msOfDay < end ? dayBefore(date) : date;
}

/** Whether a window is practically all day, so that rounds do not begin at its opening. */
export function isAllDay(schedule: DialingSchedule): boolean {
  const start = msOf(schedule.startTime);
  const end = msOf(schedule.endTime);
  return start === end || (start === 0 && end >= dayMs - 60_000);
}

/**
 * The first accepted instant at or after `fromMs`; null if there is none. Tries only instants at which the result can change: `fromMs`, the start of
 * each step, and the instant `withinStepMs` after it.
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
