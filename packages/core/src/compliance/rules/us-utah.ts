import type { CallingRule } from '../calling-rule.ts';
import { span, week } from '../hours-table.ts';
import { usFederalHolidays } from './holidays.ts';

export const utah: CallingRule = {
  jurisdiction: 'US-UT',
  name: 'Utah',
  version: 1,
  hours: {
    week: week({ weekdays: [span(8, 21)], saturday: [span(8, 21)] }),
    exceptions: [
      { days: [...usFederalHolidays, { kind: 'date', month: 7, day: 24, moves: 'us' }], spans: [] },
    ],
  },
  source: {
    basis: 'statute',
    citation: 'Utah Code § 13-25a-103; § 13-26-11; holidays: § 63G-1-301',
    asOf: '2026-11-22',
    note: 'No calls on Sundays and holidays.',
  },
};
