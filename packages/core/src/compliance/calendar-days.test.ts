import { describe, expect, test } from 'vitest';
import { formatLocalDate } from '../local-date.ts';
import { type DayRule, daysOfYear, easterSunday } from './calendar-days.ts';

const dates = (rule: DayRule, year: number) => daysOfYear(rule, year).map(formatLocalDate);

describe('days that are named by a rule', () => {
  test.each([
    [1961, '1961-04-02'],
    [2000, '2000-04-23'],
    [2008, '2008-03-23'],
    [2024, '2024-03-31'],
    [2027, '2027-03-28'],
    [2038, '2038-04-25'],
    [2076, '2076-04-19'],
  ])('Easter of %i is on %s', (year, date) => {
    expect(formatLocalDate(easterSunday(year))).toBe(date);
  });

  test('Mardi Gras and Corpus Christi go with Easter', () => {
    expect(dates({ kind: 'easter', offsetDays: -47 }, 2027)).toEqual(['2027-02-09']);
    expect(dates({ kind: 'easter', offsetDays: 60 }, 2027)).toEqual(['2027-05-27']);
  });

  test('the fourth Thursday of November, and the last Monday of May', () => {
    expect(dates({ kind: 'nth_weekday', month: 11, weekday: 4, nth: 4 }, 2026)).toEqual(['2026-11-26']);
    expect(dates({ kind: 'nth_weekday', month: 5, weekday: 1, nth: -1 }, 2027)).toEqual(['2027-05-31']);
  });

  test('the Wednesday before 23 November', () => {
    expect(dates({ kind: 'weekday_before', month: 11, day: 22, weekday: 3 }, 2026)).toEqual(['2026-11-18']);
  });

  test('Independence Day on a Saturday is also observed on Friday, and on a Sunday on Monday', () => {
    const rule = { kind: 'date', month: 7, day: 4, moves: 'us' } as const;
    expect(dates(rule, 2026)).toEqual(['2026-07-03', '2026-07-04']);
    expect(dates(rule, 2027)).toEqual(['2027-07-04', '2027-07-05']);
    expect(dates(rule, 2028)).toEqual(['2028-07-04']);
  });

  test('Christmas and the day after it take the two working days that follow a weekend', () => {
    const both = (year: number) =>
      [25, 26].flatMap((day) => dates({ kind: 'date', month: 12, day, moves: 'two_days_on' }, year));
    expect(both(2026)).toEqual(['2026-12-25', '2026-12-26', '2026-12-28']);
    expect(both(2027)).toEqual(['2027-12-25', '2027-12-27', '2027-12-26', '2027-12-28']);
    expect(both(2022)).toEqual(['2022-12-25', '2022-12-27', '2022-12-26']);
  });

  test.each([
    [2024, '2024-05-05'],
    [2025, '2025-04-20'],
    [2026, '2026-04-12'],
    [2027, '2027-05-02'],
    [2038, '2038-04-25'],
  ])('Easter of the Orthodox churches of %i is on %s', (year, date) => {
    expect(dates({ kind: 'easter', offsetDays: 0, calendar: 'julian' }, year)).toEqual([date]);
  });

  test('Ramadan, twice in a year in which two begin, and the first day of the Chinese year', () => {
    const ramadan = { kind: 'lunar', calendar: 'islamic-umalqura', month: 9, from: 1, to: 30 } as const;
    const of2027 = dates(ramadan, 2027);
    expect([of2027[0], of2027.at(-1), of2027.length]).toEqual(['2027-02-08', '2027-03-08', 29]);
    const firstDays = { ...ramadan, to: 1 };
    expect(dates(firstDays, 2030)).toEqual(['2030-01-05', '2030-12-26']);
    const spring = { kind: 'lunar', calendar: 'chinese', month: 1, from: 1, to: 1 } as const;
    expect(dates(spring, 2026)).toEqual(['2026-02-17']);
  });
});
