import { movingDates } from '../calendar-days.ts';
import type { CallingRule } from '../calling-rule.ts';
import { span, week } from '../hours-table.ts';
import { usFederalHolidays } from './holidays.ts';

const independenceDay = { kind: 'date', month: 5, day: 4, moves: 'sunday' } as const;
const victoryDay = { kind: 'nth_weekday', month: 8, weekday: 1, nth: 2 } as const;
/** The Tuesday after the first Monday of November, in the years in which officers of the state are elected. */
const generalElectionDay = { kind: 'weekday_before', month: 11, day: 8, weekday: 2, years: 'even' } as const;

/** Days that fall on a weekend are also observed on Monday, not on Friday as the federal ones. */
const onMonday = movingDates('next', '01-01 06-19 07-04 11-11 12-25');

export const rhodeIsland: CallingRule = {
  jurisdiction: 'US-RI',
  name: 'Rhode Island',
  version: 3,
  hours: {
    week: week({ weekdays: [span(9, 18)], saturday: [span(10, 17)] }),
    exceptions: [
      {
        days: [...usFederalHolidays, ...onMonday, independenceDay, victoryDay, generalElectionDay],
        spans: [],
      },
    ],
  },
  source: {
    basis: 'statute',
    citation: 'R.I. Gen. Laws § 5-61-3.6; holidays: § 25-1-1',
    asOf: '2026-11-27',
    note: 'No calls on Sundays and holidays.',
  },
};
