import type { CallingRule } from '../calling-rule.ts';
import { expressConsent } from '../consent.ts';
import { everyDay, span } from '../hours-table.ts';

export const nigeria: CallingRule = {
  jurisdiction: 'NG',
  name: 'Nigeria',
  version: 2,
  hours: { week: everyDay(span(8, 20)), exceptions: [] },
  consent: {
    asOf: '2026-11-27',
    readIn: 'datagovernance.africa',
    marketing: {
      bases: expressConsent,
      citation:
        'Nigeria Data Protection Act 2023, s. 26, with the General Application and Implementation Directive 2025',
    },
  },
  source: {
    basis: 'practice',
    citation: 'Nigerian Communications Commission, directions on unsolicited messages and calls',
    asOf: '2026-11-27',
    note: 'The text was not found; reports name the hours from 8 a.m. to 8 p.m.',
  },
};
