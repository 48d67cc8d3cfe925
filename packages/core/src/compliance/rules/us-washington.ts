import type { CallingRule } from '../calling-rule.ts';
import { everyDay, span } from '../hours-table.ts';

export const washington: CallingRule = {
  jurisdiction: 'US-WA',
  name: 'Washington',
  version: 1,
  hours: { week: everyDay(span(8, 20)), exceptions: [] },
  source: {
    basis: 'statute',
    citation: 'Wash. Rev. Code § 80.36.390; § 19.158.040',
    asOf: '2026-11-22',
  },
};
