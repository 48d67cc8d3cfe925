import { offsetMinutes } from '../words/dates.ts';

/** A stretch of a day, in minutes from its beginning. */
export interface Stretch {
  from: number;
  to: number;
}

const DAY = 1_440;

/** `09:30` or `09:30:00` in minutes; `24:00` is the end of the day. */
export function minutesOf(time: string): number {
  const [hours = '0', minutes = '0'] = time.split(':');
  return Math.min(DAY, Number(hours) * 60 + Number(minutes));
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
  const length = end === start ? DAY : (end - start + DAY) % DAY || DAY;
  if (length >= DAY - 1) return [{ from: 0, to: DAY }];
  const shift = offsetMinutes(clock, at) - offsetMinutes(zone, at);
  const from = (((start + shift) % DAY) + DAY) % DAY;
  const to = from + length;
  return to <= DAY
    ? [{ from, to }]
    : [
        { from: 0, to: to - DAY },
        { from, to: DAY },
      ];
}
