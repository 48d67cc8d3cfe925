import type { CallingRule } from '../calling-rule.ts';
import { span, week } from '../hours-table.ts';
import { frenchHolidays } from './holidays.ts';

export const france: CallingRule = {
  jurisdiction: 'FR',
  name: 'France',
  version: 2,
  hours: {
    week: week({ weekdays: [span(10, 13), span(14, 20)] }),
    exceptions: [{ days: frenchHolidays, spans: [] }],
  },
  caps: [{ calls: 4, hours: 720 }],
  registry: { goodForDays: 30, citation: 'Code de la consommation, art. L223-1 and R223-6, on Bloctel' },
  source: {
    basis: 'statute',
    citation: 'Code de la consommation, art. L223-1 and D223-9',
    asOf: '2026-11-27',
    note: 'No calls on Saturdays, Sundays and holidays. At most four calls in 30 days.',
  },
};
