import type { CallingRule } from '../calling-rule.ts';
import { span, week } from '../hours-table.ts';
import { brazilianHolidays } from './holidays.ts';

export const brazil: CallingRule = {
  jurisdiction: 'BR',
  name: 'Brazil',
  version: 1,
  hours: {
    week: week({ weekdays: [span(9, 21)], saturday: [span(10, 16)] }),
    exceptions: [{ days: brazilianHolidays, spans: [] }],
  },
  source: {
    basis: 'code',
    citation: 'Sistema de Autorregulação das Operações de Telemarketing (SART)',
    asOf: '2026-11-22',
    note: 'No calls on Sundays and national holidays.',
  },
};
