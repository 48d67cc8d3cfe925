import type { CallingRule } from '../calling-rule.ts';
import { expressConsent } from '../consent.ts';
import { span, week } from '../hours-table.ts';
import { brazilianHolidays } from './holidays.ts';

export const brazil: CallingRule = {
  jurisdiction: 'BR',
  name: 'Brazil',
  version: 2,
  hours: {
    week: week({ weekdays: [span(9, 21)], saturday: [span(10, 16)] }),
    exceptions: [{ days: brazilianHolidays, spans: [] }],
  },
  consent: {
    asOf: null,
    marketing: {
      bases: expressConsent,
      citation:
        'Lei 13.226/2008 of São Paulo and similar laws of other states: a consent, or a number that is not on the register; Lei 13.709/2018 (LGPD), art. 7',
    },
  },
  source: {
    basis: 'code',
    citation: 'Sistema de Autorregulação das Operações de Telemarketing (SART)',
    asOf: '2026-11-22',
    note: 'No calls on Sundays and national holidays.',
  },
};
