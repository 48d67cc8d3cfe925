import type { CallingRule } from '../calling-rule.ts';
import { expressConsent } from '../consent.ts';
import { span, week } from '../hours-table.ts';
import { italianHolidays } from './holidays.ts';

export const italy: CallingRule = {
  jurisdiction: 'IT',
  name: 'Italy',
  version: 2,
  hours: {
    week: week({ weekdays: [span(9, 20)], saturday: [span(10, 19)] }),
    exceptions: [{ days: italianHolidays, spans: [] }],
  },
  registry: {
    goodForDays: 15,
    citation: 'D.P.R. 26/2022, art. 8, on the Registro pubblico delle opposizioni',
  },
  consent: {
    asOf: '2026-11-27',
    marketing: { bases: expressConsent, citation: 'D.lgs. 196/2003, art. 130(1)' },
  },
  source: {
    basis: 'code',
    citation: 'Codice di condotta per le attività di telemarketing e teleselling (Garante, 9 March 2023)',
    asOf: '2026-11-22',
    note: 'No calls on Sundays and holidays.',
  },
};
