import type { CallingRule } from '../calling-rule.ts';
import { everyDay, span } from '../hours-table.ts';

export const oregon: CallingRule = {
  jurisdiction: 'US-OR',
  name: 'Oregon',
  version: 2,
  hours: { week: everyDay(span(8, 20)), exceptions: [] },
  caps: [{ calls: 3, hours: 24 }],
  source: {
    basis: 'statute',
    citation: 'Or. Rev. Stat. § 646.569 ff., as amended by HB 3865 of 2025',
    asOf: '2026-11-27',
    note: 'At most three calls in 24 hours.',
  },
};
