import type { CallingRule } from '../calling-rule.ts';
import { everyDay, span } from '../hours-table.ts';

export const portugal: CallingRule = {
  jurisdiction: 'PT',
  name: 'Portugal',
  version: 1,
  hours: { week: everyDay(span(9, 21)), exceptions: [] },
  source: {
    basis: 'statute',
    citation: 'Decreto-Lei 134/2009, on telephone contact centres',
    asOf: '2026-11-26',
    note: 'The text allows calls until 22:00; the end is that of countries without a rule.',
  },
};
