import type { CallingRule } from '../calling-rule.ts';
import { span, week } from '../hours-table.ts';
import { colombianHolidays } from './holidays.ts';

export const colombia: CallingRule = {
  jurisdiction: 'CO',
  name: 'Colombia',
  version: 2,
  hours: {
    week: week({ weekdays: [span(7, 19)], saturday: [span(8, 15)] }),
    exceptions: [{ days: colombianHolidays, spans: [] }],
  },
  caps: [{ calls: 2, hours: 24 }],
  source: {
    basis: 'statute',
    citation: 'Ley 2300 de 2023, art. 3; holidays: Ley 51 de 1983',
    asOf: '2026-11-27',
    note: 'No calls on Sundays and holidays. At most two calls a day.',
  },
};
