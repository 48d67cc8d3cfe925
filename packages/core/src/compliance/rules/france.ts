import type { CallingRule } from '../calling-rule.ts';
import { expressConsent } from '../consent.ts';
import { span, week } from '../hours-table.ts';
import { frenchHolidays } from './holidays.ts';

export const france: CallingRule = {
  jurisdiction: 'FR',
  name: 'France',
  version: 3,
  hours: {
    week: week({ weekdays: [span(10, 13), span(14, 20)] }),
    exceptions: [{ days: frenchHolidays, spans: [] }],
  },
  caps: [{ calls: 4, hours: 720 }],
  registry: { goodForDays: 30, citation: 'Code de la consommation, art. L223-1 and R223-6, on Bloctel' },
  consent: {
    asOf: '2026-11-27',
    marketing: {
      bases: expressConsent,
      citation:
        'Code de la consommation, art. L223-1, as of 11 August 2026 (loi 2025-594); Code des postes et des communications électroniques, art. L34-5',
    },
  },
  source: {
    basis: 'statute',
    citation: 'Code de la consommation, art. L223-1 and D223-9',
    asOf: '2026-11-27',
    note: 'No calls on Saturdays, Sundays and holidays. At most four calls in 30 days. The exception for a contract in progress is not applied.',
  },
};
