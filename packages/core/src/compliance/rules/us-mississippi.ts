import type { CallingRule } from '../calling-rule.ts';
import { span, week } from '../hours-table.ts';
import { usFederalHolidays } from './holidays.ts';

export const mississippi: CallingRule = {
  jurisdiction: 'US-MS',
  name: 'Mississippi',
  version: 1,
  hours: {
    week: week({ weekdays: [span(8, 20)], saturday: [span(8, 20)] }),
    exceptions: [
      { days: [...usFederalHolidays, { kind: 'nth_weekday', month: 4, weekday: 1, nth: -1 }], spans: [] },
    ],
  },
  source: {
    basis: 'regulation',
    citation:
      'Miss. Code § 77-3-701 ff.; rules of the Mississippi Public Service Commission; holidays: Miss. Code § 3-3-7',
    asOf: '2026-11-22',
    note: 'No calls on Sundays. Sources differ on holidays; no calls on them either.',
  },
};
