import type { CallingRule } from '../calling-rule.ts';
import { everyDay, span } from '../hours-table.ts';

export const newMexico: CallingRule = {
  jurisdiction: 'US-NM',
  name: 'New Mexico',
  version: 1,
  hours: { week: everyDay(span(9, 21)), exceptions: [] },
  source: {
    basis: 'statute',
    citation: 'N.M. Stat. § 57-12-22',
    asOf: '2026-11-22',
  },
};
