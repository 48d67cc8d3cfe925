import type { CallingRule } from '../calling-rule.ts';
import { everyDay, span } from '../hours-table.ts';

export const wyoming: CallingRule = {
  jurisdiction: 'US-WY',
  name: 'Wyoming',
  version: 1,
  hours: { week: everyDay(span(8, 20)), exceptions: [] },
  source: {
    basis: 'statute',
    citation: 'Wyo. Stat. § 40-12-303',
    asOf: '2026-11-22',
  },
};
