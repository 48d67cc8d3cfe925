import type { CallingRule } from '../calling-rule.ts';
import { everyDay, span } from '../hours-table.ts';

export const kentucky: CallingRule = {
  jurisdiction: 'US-KY',
  name: 'Kentucky',
  version: 1,
  hours: { week: everyDay(span(10, 21)), exceptions: [] },
  source: {
    basis: 'statute',
    citation: 'Ky. Rev. Stat. § 367.46955',
    asOf: '2026-11-22',
  },
};
