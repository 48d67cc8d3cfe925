import type { CallingRule } from '../calling-rule.ts';
import { everyDay, span } from '../hours-table.ts';

export const indiana: CallingRule = {
  jurisdiction: 'US-IN',
  name: 'Indiana',
  version: 1,
  hours: { week: everyDay(span(9, 20)), exceptions: [] },
  source: {
    basis: 'statute',
    citation: 'Ind. Code § 24-5-14-8',
    asOf: '2026-11-22',
    note: 'Applies to automated dialing-announcing devices.',
  },
};
