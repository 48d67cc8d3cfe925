import { CodedError } from './errors.ts';
import { dayMs, type LocalDay, localDayOf } from './local-date.ts';
import { parseWallTime } from './wall-time.ts';

/** When a campaign may dial (docs/behaviour.md). */
export interface DialingSchedule {
  startAt: Date;
  /** Null: open-ended. The window is closed from this instant on. */
  endAt: Date | null;
  /** `HH:MM` or `HH:MM:SS`, in the recipient's zone; `endTime` may be `24:00`. A start after the end crosses midnight; equal times mean all day. */
  startTime: string;
  endTime: string;
  /** False: closed on Saturdays and Sundays of the recipient's calendar. */
  callOnWeekend: boolean;
  /** The campaign's IANA zone, for recipients without their own. */
  timezone: string;
}

/** The schedule contains an invalid time of day. Callers check times at the boundary. */
export class InvalidScheduleError extends CodedError {
  readonly code = 'invalid_schedule';
}

/** The daily hours, in milliseconds from the midnight of the day on which the window opens; `endMs` may lie on the next day. */
export interface DailyHours {
  /** From midnight to midnight, or to 23:59, as people often write it. Rounds then do not begin at an opening. */
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

/** The day whose hours contain this local time; the local day itself if no hours do. */
export function windowDayOf(hours: DailyHours, localMs: number): LocalDay {
  const day = localDayOf(localMs);
  return localMs < (day - 1) * dayMs + hours.endMs ? day - 1 : day;
}
