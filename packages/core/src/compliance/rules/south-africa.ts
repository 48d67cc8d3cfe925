import type { CallingRule } from '../calling-rule.ts';
import { expressConsent } from '../consent.ts';
import { span, week } from '../hours-table.ts';
import { southAfricanHolidays } from './holidays.ts';

export const southAfrica: CallingRule = {
  jurisdiction: 'ZA',
  name: 'South Africa',
  version: 2,
  hours: {
    week: week({ weekdays: [span(8, 20)], saturday: [span(9, 13)] }),
    exceptions: [{ days: southAfricanHolidays, spans: [] }],
  },
  consent: {
    asOf: '2026-11-27',
    readIn: 'clearwood.co.za, with the text of section 69(1)',
    marketing: {
      bases: expressConsent,
      citation: 'Protection of Personal Information Act 4 of 2013, s. 69(1)',
    },
  },
  source: {
    basis: 'regulation',
    citation:
      'Consumer Protection Act 68 of 2008, s. 12, with the notice of times in GN R.293 of 2011; holidays: Public Holidays Act 36 of 1994',
    asOf: '2026-11-26',
    note: 'No calls on Sundays and public holidays.',
  },
};
