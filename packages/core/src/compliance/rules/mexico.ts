import type { CallingRule } from '../calling-rule.ts';
import { expressConsent } from '../consent.ts';
import { span, week } from '../hours-table.ts';
import { mexicanHolidays } from './holidays.ts';

export const mexico: CallingRule = {
  jurisdiction: 'MX',
  name: 'Mexico',
  version: 2,
  hours: { week: week({ weekdays: [span(9, 20)] }), exceptions: [{ days: mexicanHolidays, spans: [] }] },
  consent: {
    asOf: null,
    marketing: {
      bases: expressConsent,
      citation:
        'Ley Federal de Protección al Consumidor, art. 18 and 18 Bis: a consent, or a number that is not on the register',
    },
  },
  source: {
    basis: 'practice',
    citation: 'Ley Federal de Protección al Consumidor, art. 16 to 18 Bis; Ley Federal del Trabajo, art. 74',
    asOf: '2026-11-22',
    note: 'The law provides for a register but sets no hours. The working hours of working days apply.',
  },
};
