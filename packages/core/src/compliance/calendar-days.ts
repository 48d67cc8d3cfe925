import { dayMs, type LocalDay, localDayOf } from '../local-date.ts';

/** From Sunday (0) to Saturday (6). */
export type Weekday = 0 | 1 | 2 | 3 | 4 | 5 | 6;

type Substitute = 'us' | 'sunday' | 'next' | 'two_days_on';

/** Days of every year, by the rule with which a law names them; no year is listed. */
export type DayRule =
  | {
      kind: 'date';
      /** From 1. */
      month: number;
      day: number;
      /**
       * The substitute if the day falls on a weekend: `us` Friday for Saturday and Monday for Sunday, `sunday` Monday
       * for Sunday only, `next` Monday for both, `two_days_on` Monday and Tuesday, as for Christmas and the day after it.
       */
      moves?: Substitute;
      /** Only in this year. */
      year?: number;
      /** Only in years in which the date is this day of the week. */
      onlyOn?: Weekday;
    }
  /** The nth such weekday of a month; counted from the end if negative. */
  | { kind: 'nth_weekday'; month: number; weekday: Weekday; nth: number }
  /** The last such weekday on or before a date. */
  | { kind: 'weekday_before'; month: number; day: number; weekday: Weekday; years?: 'even' }
  /** Days after Easter Sunday of the Gregorian calendar, or of the Orthodox churches. */
  | { kind: 'easter'; offsetDays: number; calendar?: 'julian' }
  /** Days of a month of a lunar calendar as ICU computes it, both inclusive. Where the moon is sighted, the days may differ by one. */
  | { kind: 'lunar'; calendar: LunarCalendar; month: number; from: number; to: number };

type LunarCalendar = 'chinese' | 'islamic-umalqura';

/** `dates('01-01 05-01')`: these dates of every year. */
export const dates = (days: string): DayRule[] =>
  days.split(' ').map((day) => ({ kind: 'date', month: Number(day.slice(0, 2)), day: Number(day.slice(3)) }));

/** The same with their substitutes. */
export const movingDates = (moves: Substitute, days: string): DayRule[] =>
  dates(days).map((rule) => ({ ...rule, moves }));

/** Days after Easter Sunday, or before it if negative. */
export const daysFromEaster = (...offsets: number[]): DayRule[] =>
  offsets.map((offsetDays) => ({ kind: 'easter', offsetDays }));

export const daysFromOrthodoxEaster = (...offsets: number[]): DayRule[] =>
  offsets.map((offsetDays) => ({ kind: 'easter', offsetDays, calendar: 'julian' }));

export function weekdayOf(day: LocalDay): Weekday {
  // Day 0, 1970-01-01, was a Thursday.
  return ((((day + 4) % 7) + 7) % 7) as Weekday;
}

/** The days that a rule names in a year. A day that moves is listed together with its substitute, which may lie in the next year. */
export function daysOfYear(rule: DayRule, year: number): LocalDay[] {
  switch (rule.kind) {
    case 'date': {
      // 29 February is in leap years only.
      if (rule.day > daysOfMonth(year, rule.month)) return [];
      const day = dayOf(year, rule.month, rule.day);
      if (rule.year !== undefined && rule.year !== year) return [];
      if (rule.onlyOn !== undefined && weekdayOf(day) !== rule.onlyOn) return [];
      return withSubstitute(day, rule.moves);
    }
    case 'nth_weekday':
      return [nthWeekday(year, rule)];
    case 'weekday_before': {
      if (rule.years === 'even' && year % 2 !== 0) return [];
      const last = dayOf(year, rule.month, rule.day);
      return [last - ((weekdayOf(last) - rule.weekday + 7) % 7)];
    }
    case 'easter':
      return [
        (rule.calendar === 'julian' ? orthodoxEasterSunday(year) : easterSunday(year)) + rule.offsetDays,
      ];
    case 'lunar':
      return lunarDays(rule.calendar, year)
        .filter(({ month, dayOfMonth }) => {
          return month === rule.month && rule.from <= dayOfMonth && dayOfMonth <= rule.to;
        })
        .map(({ day }) => day);
  }
}

interface LunarDay {
  day: LocalDay;
  /** NaN in a leap month, which has no holidays. */
  month: number;
  dayOfMonth: number;
}

const knownLunarDays = new Map<string, readonly LunarDay[]>();
const lunarYearsAtMost = 200;

/** The days of a Gregorian year, by a lunar calendar. */
function lunarDays(calendar: LunarCalendar, year: number): readonly LunarDay[] {
  const name = `${calendar} ${year}`;
  const known = knownLunarDays.get(name);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat(`en-u-ca-${calendar}`, {
    month: 'numeric',
    day: 'numeric',
    timeZone: 'UTC',
  });
  const days: LunarDay[] = [];
  for (let day = dayOf(year, 1, 1); yearOf(day) === year; day++) {
    const parts = new Map(format.formatToParts(day * dayMs).map(({ type, value }) => [type, Number(value)]));
    days.push({ day, month: parts.get('month') ?? Number.NaN, dayOfMonth: parts.get('day') ?? Number.NaN });
  }
  if (knownLunarDays.size >= lunarYearsAtMost) knownLunarDays.clear();
  knownLunarDays.set(name, days);
  return days;
}

/** In a month from 1. */
function daysOfMonth(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate();
}

function dayOf(year: number, month: number, day: number): LocalDay {
  return localDayOf(Date.UTC(year, month - 1, day));
}

function withSubstitute(day: LocalDay, moves: Substitute | undefined): LocalDay[] {
  const weekday = weekdayOf(day);
  if (moves === undefined || (weekday !== 0 && weekday !== 6)) return [day];
  if (weekday === 0) return [day, day + (moves === 'two_days_on' ? 2 : 1)];
  if (moves === 'us') return [day - 1, day];
  return moves === 'sunday' ? [day] : [day, day + 2];
}

function nthWeekday(
  year: number,
  { month, weekday, nth }: { month: number; weekday: Weekday; nth: number },
): LocalDay {
  if (nth > 0) {
    const first = dayOf(year, month, 1);
    return first + ((weekday - weekdayOf(first) + 7) % 7) + (nth - 1) * 7;
  }
  const last = localDayOf(Date.UTC(year, month, 0));
  return last - ((weekdayOf(last) - weekday + 7) % 7) + (nth + 1) * 7;
}

/** The anonymous Gregorian computus (Meeus, Astronomical Algorithms, chapter 8). */
function easterSunday(year: number): LocalDay {
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const d = Math.floor(b / 4);
  const e = b % 4;
  const f = Math.floor((b + 8) / 25);
  const g = Math.floor((b - f + 1) / 3);
  const h = (19 * a + b - d - g + 15) % 30;
  const i = Math.floor(c / 4);
  const k = c % 4;
  const l = (32 + 2 * e + 2 * i - h - k) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const month = Math.floor((h + l - 7 * m + 114) / 31);
  const day = ((h + l - 7 * m + 114) % 31) + 1;
  return dayOf(year, month, day);
}

/** The computus of the Julian calendar (Meeus, chapter 8), as a date of the Gregorian one, for the years 1900 to 2099. */
function orthodoxEasterSunday(year: number): LocalDay {
  const d = (19 * (year % 19) + 15) % 30;
  const e = (2 * (year % 4) + 4 * (year % 7) - d + 34) % 7;
  const month = Math.floor((d + e + 114) / 31);
  return dayOf(year, month, ((d + e + 114) % 31) + 1) + 13;
}

export function yearOf(day: LocalDay): number {
  return new Date(day * dayMs).getUTCFullYear();
}
