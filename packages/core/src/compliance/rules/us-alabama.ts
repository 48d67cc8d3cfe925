import type { CallingRule } from '../calling-rule.ts';
import { span, week } from '../hours-table.ts';
import { usFederalHolidays } from './holidays.ts';

const confederateMemorialDay = { kind: 'nth_weekday', month: 4, weekday: 1, nth: 4 } as const;
const jeffersonDavisBirthday = { kind: 'nth_weekday', month: 6, weekday: 1, nth: 1 } as const;

export const alabama: CallingRule = {
  jurisdiction: 'US-AL',
  name: 'Alabama',
  version: 2,
  hours: {
    week: week({ weekdays: [span(8, 20)], saturday: [span(8, 20)] }),
    exceptions: [{ days: [...usFederalHolidays, confederateMemorialDay, jeffersonDavisBirthday], spans: [] }],
  },
  source: {
    basis: 'statute',
    citation: 'Ala. Code § 8-19A-14; holidays: Ala. Code § 1-3-8',
    asOf: '2026-11-24',
    note: 'No calls on Sundays and holidays.',
  },
};
