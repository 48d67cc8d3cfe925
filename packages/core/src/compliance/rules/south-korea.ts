import type { CallingRule } from '../calling-rule.ts';
import { expressConsent } from '../consent.ts';
import { everyDay, span } from '../hours-table.ts';

export const southKorea: CallingRule = {
  jurisdiction: 'KR',
  name: 'South Korea',
  version: 2,
  hours: { week: everyDay(span(8, 21)), exceptions: [] },
  consent: {
    asOf: null,
    marketing: {
      bases: expressConsent,
      citation:
        'Act on Promotion of Information and Communications Network Utilization and Information Protection, art. 50(1)',
    },
  },
  source: {
    basis: 'statute',
    citation:
      'Act on Promotion of Information and Communications Network Utilization and Information Protection, art. 50(3)',
    asOf: '2026-11-27',
    note: 'Advertising from 21:00 to 08:00 needs a separate consent. Other calls are given the same hours.',
  },
};
