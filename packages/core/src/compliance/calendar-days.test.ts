import { expect, test } from 'vitest';
import { formatLocalDate } from '../local-date.ts';
import { type DayRule, daysOfYear } from './calendar-days.ts';

const easter = { kind: 'easter', offsetDays: 0 } as const;
const christmas = { kind: 'date', month: 12, day: 25, moves: 'two_days_on' } as const;
const firstOf = (calendar: 'chinese' | 'islamic-umalqura', month: number): DayRule => ({
  kind: 'lunar',
  calendar,
  month,
  from: 1,
  to: 1,
});

test.each<[string, DayRule, string]>([
  ['Easter', easter, '1961-04-02 2000-04-23 2008-03-23 2024-03-31 2038-04-25 2076-04-19'],
  [
    'Easter of the Orthodox churches',
    { ...easter, calendar: 'julian' },
    '2024-05-05 2025-04-20 2026-04-12 2027-05-02 2038-04-25',
  ],
  ['Christmas, if both days move', christmas, '2022-12-25 2022-12-27 2026-12-25 2027-12-25 2027-12-27'],
  ['the day after it', { ...christmas, day: 26 }, '2022-12-26 2026-12-26 2026-12-28 2027-12-26 2027-12-28'],
  ['Ramadan, of which two begin in 2030', firstOf('islamic-umalqura', 9), '2027-02-08 2030-01-05 2030-12-26'],
  ['the Chinese year', firstOf('chinese', 1), '2026-02-17'],
])('%s is on the days of these years', (_, rule, days) => {
  const listed = days.split(' ');
  const years = new Set(listed.map((day) => Number(day.slice(0, 4))));
  expect([...years].flatMap((year) => daysOfYear(rule, year)).map(formatLocalDate)).toEqual(listed);
});
