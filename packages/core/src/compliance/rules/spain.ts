import type { CallingRule } from '../calling-rule.ts';
import { expressConsent } from '../consent.ts';
import { span, week } from '../hours-table.ts';
import { spanishHolidays } from './holidays.ts';

export const spain: CallingRule = {
  jurisdiction: 'ES',
  name: 'Spain',
  version: 2,
  hours: { week: week({ weekdays: [span(9, 21)] }), exceptions: [{ days: spanishHolidays, spans: [] }] },
  consent: {
    asOf: '2026-11-27',
    readIn: 'eleconomista.es, 29 June 2023',
    marketing: { bases: expressConsent, citation: 'Ley 11/2022, art. 66.1' },
  },
  source: {
    basis: 'statute',
    citation: 'Real Decreto Legislativo 1/2007, art. 96.2',
    asOf: '2026-11-22',
    note: 'No calls on weekends and national holidays. The holidays of regions and towns are not known.',
  },
};
