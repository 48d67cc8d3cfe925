import type { CallingRule } from '../calling-rule.ts';
import { expressConsent } from '../consent.ts';
import { span, week } from '../hours-table.ts';
import { colombianHolidays } from './holidays.ts';

export const colombia: CallingRule = {
  jurisdiction: 'CO',
  name: 'Colombia',
  version: 3,
  hours: {
    week: week({ weekdays: [span(7, 19)], saturday: [span(8, 15)] }),
    exceptions: [{ days: colombianHolidays, spans: [] }],
  },
  caps: [{ calls: 2, hours: 24 }],
  consent: {
    asOf: '2026-11-27',
    readIn: 'agoramercatorum.uexternado.edu.co, 31 July 2024',
    marketing: {
      bases: expressConsent,
      citation: 'Ley 1581 de 2012, art. 9; Ley 2300 de 2023, art. 2 and 5',
    },
  },
  source: {
    basis: 'statute',
    citation: 'Ley 2300 de 2023, art. 3; holidays: Ley 51 de 1983',
    asOf: '2026-11-27',
    note: 'No calls on Sundays and holidays. At most two calls a day.',
  },
};
