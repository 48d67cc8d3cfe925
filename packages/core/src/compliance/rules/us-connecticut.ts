import type { CallingRule } from '../calling-rule.ts';
import { everyDay, span } from '../hours-table.ts';

export const connecticut: CallingRule = {
  jurisdiction: 'US-CT',
  name: 'Connecticut',
  version: 1,
  hours: { week: everyDay(span(9, 20)), exceptions: [] },
  source: {
    basis: 'statute',
    citation: 'Conn. Gen. Stat. § 42-288a, as amended by Public Act 23-98',
    asOf: '2026-11-22',
  },
};
