import type { CallingRule } from '../calling-rule.ts';
import { span, week } from '../hours-table.ts';
import { italianHolidays } from './holidays.ts';

export const italy: CallingRule = {
  jurisdiction: 'IT',
  name: 'Italy',
  version: 1,
  hours: {
    week: week({ weekdays: [span(9, 20)], saturday: [span(10, 19)] }),
    exceptions: [{ days: italianHolidays, spans: [] }],
  },
  registry: {
    goodForDays: 15,
    citation: 'D.P.R. 26/2022, art. 8, on the Registro pubblico delle opposizioni',
  },
  source: {
    basis: 'code',
    citation: 'Codice di condotta per le attività di telemarketing e teleselling (Garante, 9 March 2023)',
    asOf: '2026-11-22',
    note: 'No calls on Sundays and holidays.',
  },
};
