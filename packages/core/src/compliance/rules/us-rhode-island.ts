import type { CallingRule } from '../calling-rule.ts';
import { span, week } from '../hours-table.ts';
import { usFederalHolidays } from './holidays.ts';

export const rhodeIsland: CallingRule = {
  jurisdiction: 'US-RI',
  name: 'Rhode Island',
  version: 1,
  hours: {
    week: week({ weekdays: [span(9, 18)], saturday: [span(10, 17)] }),
    exceptions: [
      { days: [...usFederalHolidays, { kind: 'nth_weekday', month: 8, weekday: 1, nth: 2 }], spans: [] },
    ],
  },
  source: {
    basis: 'statute',
    citation: 'R.I. Gen. Laws § 5-61-3.6; holidays: § 25-1-1',
    asOf: '2026-11-22',
    note: 'No calls on Sundays and holidays.',
  },
};
