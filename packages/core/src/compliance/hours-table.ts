import type { LocalDay } from '../local-date.ts';
import { type DayRule, daysOfYear, weekdayOf, yearOf } from './calendar-days.ts';

/** From one time of day to another, in milliseconds from midnight; the end is exclusive. */
export interface DaySpan {
  startMs: number;
  endMs: number;
}

/** When calls are allowed, by a wall clock and a calendar. The engine needs nothing else of a law. */
export interface HoursTable {
  /** From Sunday to Saturday. Without a span, no calls on that day. */
  week: ReadonlyArray<readonly DaySpan[]>;
  /** Days with their own hours. If several rules name a day, the narrowest hours apply. */
  exceptions: ReadonlyArray<{ days: readonly DayRule[]; spans: readonly DaySpan[] }>;
}

const hourMs = 3_600_000;

/** `span(9, 20.5)`: from 09:00 to 20:30. */
export function span(startHour: number, endHour: number): DaySpan {
  return { startMs: startHour * hourMs, endMs: endHour * hourMs };
}

/** The same hours from Monday to Friday, and the given hours, or none, on Saturdays and Sundays. */
export function week(hours: {
  weekdays: readonly DaySpan[];
  saturday?: readonly DaySpan[];
  sunday?: readonly DaySpan[];
}): HoursTable['week'] {
  const { weekdays, saturday = [], sunday = [] } = hours;
  return [sunday, weekdays, weekdays, weekdays, weekdays, weekdays, saturday];
}

export function everyDay(...spans: DaySpan[]): HoursTable['week'] {
  return week({ weekdays: spans, saturday: spans, sunday: spans });
}

/** Exceptions by day for each table and year; a process needs only a few years. */
const exceptionsOfTables = new WeakMap<HoursTable, Map<number, ReadonlyMap<LocalDay, readonly DaySpan[]>>>();
const yearsAtMost = 100;

/** The spans in which a day allows calls. */
export function spansOfDay(table: HoursTable, day: LocalDay): readonly DaySpan[] {
  const ordinary = table.week[weekdayOf(day)] ?? [];
  if (table.exceptions.length === 0) return ordinary;
  const exception = exceptionsOfYear(table, yearOf(day)).get(day);
  return exception === undefined ? ordinary : common(ordinary, exception);
}

function exceptionsOfYear(table: HoursTable, year: number): ReadonlyMap<LocalDay, readonly DaySpan[]> {
  let years = exceptionsOfTables.get(table);
  if (years === undefined) {
    years = new Map();
    exceptionsOfTables.set(table, years);
  }
  const known = years.get(year);
  if (known !== undefined) return known;
  const days = new Map<LocalDay, readonly DaySpan[]>();
  for (const { days: rules, spans } of table.exceptions) {
    // A substitute for New Year's Day may lie in the old year, and one for the last days of December in the new one.
    for (const day of rules.flatMap((rule) =>
      [year - 1, year, year + 1].flatMap((one) => daysOfYear(rule, one)),
    )) {
      if (yearOf(day) !== year) continue;
      const before = days.get(day);
      days.set(day, before === undefined ? spans : common(before, spans));
    }
  }
  if (years.size >= yearsAtMost) years.clear();
  years.set(year, days);
  return days;
}

function common(some: readonly DaySpan[], others: readonly DaySpan[]): DaySpan[] {
  return some.flatMap((one) =>
    others.flatMap((other) => {
      const startMs = Math.max(one.startMs, other.startMs);
      const endMs = Math.min(one.endMs, other.endMs);
      return startMs < endMs ? [{ startMs, endMs }] : [];
    }),
  );
}
