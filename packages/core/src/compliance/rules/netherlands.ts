import type { CallingRule } from '../calling-rule.ts';
import { expressConsent } from '../consent.ts';
import { span, week } from '../hours-table.ts';
import { dutchEvenings, dutchHolidays } from './holidays.ts';

export const netherlands: CallingRule = {
  jurisdiction: 'NL',
  name: 'Netherlands',
  version: 2,
  hours: {
    week: week({ weekdays: [span(9, 21)], saturday: [span(10, 16)] }),
    exceptions: [
      { days: dutchHolidays, spans: [] },
      { days: dutchEvenings, spans: [span(9, 18.5)] },
    ],
  },
  consent: {
    asOf: '2026-11-27',
    readIn: 'zoek.officielebekendmakingen.nl, kst-35421-3, the memorandum of the law that asks for consent',
    marketing: { bases: expressConsent, citation: 'Telecommunicatiewet, art. 11.7' },
  },
  source: {
    basis: 'code',
    citation: 'Stichting Reclame Code, Code Telemarketing, art. 9',
    asOf: '2026-11-22',
    note: 'Editions differ on 9 or 10 p.m.; the earlier time applies. Until 18:30 on 4 May, 5 December and 24 December.',
  },
};
