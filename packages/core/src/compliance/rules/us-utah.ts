import type { CallingRule } from '../calling-rule.ts';
import { span, week } from '../hours-table.ts';
import { usFederalHolidays } from './holidays.ts';

const pioneerDay = { kind: 'date', month: 7, day: 24, moves: 'us' } as const;
const goodFriday = { kind: 'easter', offsetDays: -2 } as const;
/** 19 June, or the Monday before it, or the Monday after a weekend. */
const juneteenth = { kind: 'weekday_before', month: 6, day: 21, weekday: 1 } as const;

export const utah: CallingRule = {
  jurisdiction: 'US-UT',
  name: 'Utah',
  version: 2,
  hours: {
    week: week({ weekdays: [span(8, 21)], saturday: [span(8, 21)] }),
    exceptions: [{ days: [...usFederalHolidays, goodFriday, juneteenth, pioneerDay], spans: [] }],
  },
  source: {
    basis: 'statute',
    citation: 'Utah Code § 13-25a-103; § 13-26-11; holidays: § 63G-1-301, as of 6 May 2026',
    asOf: '2026-11-27',
    note: 'No calls on Sundays and holidays.',
  },
};
