import type { CallingRule } from '../calling-rule.ts';
import { everyDay, span } from '../hours-table.ts';

export const michigan: CallingRule = {
  jurisdiction: 'US-MI',
  name: 'Michigan',
  version: 1,
  hours: { week: everyDay(span(9, 21)), exceptions: [] },
  source: {
    basis: 'statute',
    citation: 'Mich. Comp. Laws § 484.125; § 445.111 ff.',
    asOf: '2026-11-22',
    note: 'Sources differ on 8 or 9 a.m.; the later time applies.',
  },
};
