import type { CallingRule } from '../calling-rule.ts';
import { span, week } from '../hours-table.ts';
import { usFederalHolidays } from './holidays.ts';

export const alabama: CallingRule = {
  jurisdiction: 'US-AL',
  name: 'Alabama',
  version: 1,
  hours: {
    week: week({ weekdays: [span(8, 20)], saturday: [span(8, 20)] }),
    exceptions: [{ days: usFederalHolidays, spans: [] }],
  },
  source: {
    basis: 'statute',
    citation: 'Ala. Code § 8-19A-14; holidays: Ala. Code § 1-3-8',
    asOf: '2026-11-22',
    note: 'No calls on Sundays and holidays.',
  },
};
