import type { CallingRule } from '../calling-rule.ts';
import { expressConsent } from '../consent.ts';
import { span, week } from '../hours-table.ts';
import { norwegianHolidays } from './holidays.ts';

export const norway: CallingRule = {
  jurisdiction: 'NO',
  name: 'Norway',
  version: 2,
  hours: { week: week({ weekdays: [span(9, 21)] }), exceptions: [{ days: norwegianHolidays, spans: [] }] },
  consent: { asOf: null, marketing: { bases: expressConsent, citation: 'Markedsføringsloven § 15' } },
  source: {
    basis: 'statute',
    citation:
      'Markedsføringsloven (2009) § 14; holidays: lov 24. februar 1995 nr. 12 and lov 26. april 1947 nr. 1',
    asOf: '2026-11-26',
    note: 'No calls on Saturdays, Sundays and holidays.',
  },
};
