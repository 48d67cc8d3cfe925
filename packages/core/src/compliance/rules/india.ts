import type { CallingRule } from '../calling-rule.ts';
import { expressConsent } from '../consent.ts';
import { everyDay, span } from '../hours-table.ts';

export const india: CallingRule = {
  jurisdiction: 'IN',
  name: 'India',
  version: 2,
  hours: { week: everyDay(span(9, 21)), exceptions: [] },
  consent: {
    asOf: '2026-11-27',
    readIn: 'ssrana.in and trai.gov.in, on the preferences of customers',
    marketing: {
      bases: expressConsent,
      citation:
        'TRAI, Telecom Commercial Communications Customer Preference Regulations 2018, on unsolicited commercial communications: a consent, or a number without a preference against them',
    },
  },
  source: {
    basis: 'regulation',
    citation: 'TRAI, Telecom Commercial Communications Customer Preference Regulations 2018',
    asOf: '2026-11-22',
  },
};
