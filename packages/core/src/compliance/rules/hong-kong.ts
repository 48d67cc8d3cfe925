import type { CallingRule } from '../calling-rule.ts';
import { expressConsent } from '../consent.ts';
import { everyDay, span } from '../hours-table.ts';

export const hongKong: CallingRule = {
  jurisdiction: 'HK',
  name: 'Hong Kong',
  version: 2,
  hours: { week: everyDay(span(9, 21)), exceptions: [] },
  caps: [{ calls: 3, hours: 168 }],
  consent: {
    asOf: null,
    marketing: {
      bases: expressConsent,
      citation: 'Personal Data (Privacy) Ordinance (Cap. 486), s. 35C and 35E',
    },
  },
  source: {
    basis: 'code',
    citation:
      'Office of the Communications Authority, Benchmark Code of Practice on Person-to-Person Marketing Calls (2024)',
    asOf: '2026-11-27',
    readIn: 'info.gov.hk, press release of 21 June 2024',
    note: 'The code allows calls until 22:00; the end is that of countries without a rule. At most three calls in a week.',
  },
};
