import type { CallingRule } from '../calling-rule.ts';
import { everyDay, span } from '../hours-table.ts';

export const oregon: CallingRule = {
  jurisdiction: 'US-OR',
  name: 'Oregon',
  version: 1,
  hours: { week: everyDay(span(8, 20)), exceptions: [] },
  source: {
    basis: 'statute',
    citation: 'Or. Rev. Stat. § 646.569 ff., as amended by HB 3865 of 2025',
    asOf: '2026-11-22',
  },
};
