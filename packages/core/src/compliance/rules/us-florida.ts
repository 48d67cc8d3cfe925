import type { CallingRule } from '../calling-rule.ts';
import { everyDay, span } from '../hours-table.ts';

export const florida: CallingRule = {
  jurisdiction: 'US-FL',
  name: 'Florida',
  version: 1,
  hours: { week: everyDay(span(8, 20)), exceptions: [] },
  source: {
    basis: 'statute',
    citation: 'Fla. Stat. § 501.616(6)',
    asOf: '2026-11-22',
  },
};
