import type { CallingRule } from '../calling-rule.ts';
import { expressConsent } from '../consent.ts';
import { everyDay, span } from '../hours-table.ts';

export const unitedArabEmirates: CallingRule = {
  jurisdiction: 'AE',
  name: 'United Arab Emirates',
  version: 3,
  hours: { week: everyDay(span(9, 18)), exceptions: [] },
  caps: [
    { calls: 2, hours: 24 },
    { calls: 3, hours: 168 },
  ],
  consent: {
    asOf: '2026-11-27',
    readIn: 'support.thomsonreuters.ae, on Cabinet Resolution 56',
    marketing: {
      bases: expressConsent,
      citation:
        'Federal Decree-Law 45 of 2021, art. 4; Cabinet Resolution 56 of 2024: a consent, or a number that is not on the register',
    },
  },
  source: {
    basis: 'regulation',
    citation: 'Cabinet Resolution No. 56 of 2024 on telemarketing',
    asOf: '2026-11-27',
    readIn: 'arabianbusiness.com, August 2024',
    note: 'At most one more call on the day of the first, and two more in its week.',
  },
};
