import type { CallingRule } from '../calling-rule.ts';
import { everyDay, span } from '../hours-table.ts';

export const florida: CallingRule = {
  jurisdiction: 'US-FL',
  name: 'Florida',
  version: 2,
  hours: { week: everyDay(span(8, 20)), exceptions: [] },
  caps: [{ calls: 3, hours: 24 }],
  source: {
    basis: 'statute',
    citation: 'Fla. Stat. § 501.616(6)',
    asOf: '2026-11-27',
    note: 'At most three calls in 24 hours.',
  },
};
