import type { CallingRule } from '../calling-rule.ts';
import { everyDay, span } from '../hours-table.ts';

export const southCarolina: CallingRule = {
  jurisdiction: 'US-SC',
  name: 'South Carolina',
  version: 1,
  hours: { week: everyDay(span(8, 19)), exceptions: [] },
  source: {
    basis: 'statute',
    citation: 'S.C. Code § 16-17-446; § 37-21-30',
    asOf: '2026-11-22',
    note: 'Automatically dialed announcing devices until 7 p.m.; other solicitors until 9 p.m. The stricter hours apply.',
  },
};
