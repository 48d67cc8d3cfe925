import type { CallingRule } from '../calling-rule.ts';
import { everyDay, span } from '../hours-table.ts';

export const minnesota: CallingRule = {
  jurisdiction: 'US-MN',
  name: 'Minnesota',
  version: 1,
  hours: { week: everyDay(span(9, 21)), exceptions: [] },
  source: {
    basis: 'statute',
    citation: 'Minn. Stat. § 325E.30',
    asOf: '2026-11-22',
  },
};
