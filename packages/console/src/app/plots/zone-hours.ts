import { offsetMinutes } from '../words/dates.ts';

/** A stretch of a day, in minutes from its beginning. */
export interface Stretch {
  from: number;
  to: number;
}

const dayMs = 1_440;

/** `09:30` or `09:30:00` in minutes; `24:00` is the end of the day. */
export function minutesOf(time: string): number {
  const [hours = '0', minutes = '0'] = time.split(':');
  return Math.min(dayMs, Number(hours) * 60 + Number(minutes));
}

/**
 * When people of a zone are called, on the clock of another zone, on the day of `at`: one span, or two if it crosses midnight. Equal times,
 * and midnight to midnight, mean all day.
 */
export function hoursOnClock(
  hours: { start: string; end: string },
  { zone, clock, at }: { zone: string; clock: string; at: Date },
): Stretch[] {
  const start = minutesOf(hours.start);
  const end = minutesOf(hours.end);
  const length = end === start ? dayMs : (end - start + dayMs) % dayMs || dayMs;
  if (length >= dayMs - 1) return [{ from: 0, to: dayMs }];
  const shift = offsetMinutes(clock, at) - offsetMinutes(zone, at);
  const from = (((start + shift) % dayMs) + dayMs) % dayMs;
  const to = from + length;
  return to <= dayMs
    ? [{ from, to }]
    : [
        { from: 0, to: to - dayMs },
        { from, to: dayMs },
      ];
}
