import { CodedError } from './errors.ts';
import { dayMs, type LocalDay, localDayOf } from './local-date.ts';
import { parseWallTime } from './wall-time.ts';

/** When a campaign may dial (docs/behaviour.md). */
export interface DialingSchedule {
  startAt: Date;
  /** Null: open-ended. No instant at or after it is open. */
  endAt: Date | null;
  /** `HH:MM` or `HH:MM:SS`, read in the recipient's zone; `endTime` may be `24:00`. After the end: across midnight. Equal: all day. */
  startTime: string;
  endTime: string;
  /** False: closed on Saturdays and Sundays, as the recipient's calendar has them. */
  callOnWeekend: boolean;
  /** The campaign's IANA zone: that of recipients who have none of their own. */
  timezone: string;
}

/** The schedule holds a time of day that cannot be read. Callers check times where they come in. */
export class InvalidScheduleError extends CodedError {
  readonly code = 'invalid_schedule';
}

/** The daily hours, in milliseconds from the midnight of the day on which the window opens; `endMs` may lie on the next day. */
export interface DailyHours {
  /** From midnight to midnight, or to the last minute before it, as people write it: rounds then begin at no opening. */
  isAllDay: boolean;
  startMs: number;
  endMs: number;
}

export function dailyHours(schedule: DialingSchedule): DailyHours {
  const start = parseWallTime(schedule.startTime, 'start');
  const end = parseWallTime(schedule.endTime, 'end');
  if (start === null) throw new InvalidScheduleError('`start_time` is not a time of day.');
  if (end === null) throw new InvalidScheduleError('`end_time` is not a time of day.');
  const startMs = start.sinceMidnightMs;
  const endMs = end.sinceMidnightMs;
  if (startMs === endMs || endMs - startMs === dayMs) return { isAllDay: true, startMs: 0, endMs: dayMs };
  const isAllDay = startMs === 0 && endMs >= dayMs - 60_000;
  return { isAllDay, startMs, endMs: startMs < endMs ? endMs : endMs + dayMs };
}

/** The day whose hours hold this local time; the local day itself where no hours do. */
export function windowDayOf(hours: DailyHours, localMs: number): LocalDay {
  const day = localDayOf(localMs);
  return localMs < (day - 1) * dayMs + hours.endMs ? day - 1 : day;
}
