import type { CallingRule } from '../calling-rule.ts';
import { everyDay, span } from '../hours-table.ts';

export const illinois: CallingRule = {
  jurisdiction: 'US-IL',
  name: 'Illinois',
  version: 1,
  hours: { week: everyDay(span(9, 21)), exceptions: [] },
  source: {
    basis: 'statute',
    citation: '815 ILCS 305/15; 815 ILCS 413/15',
    asOf: '2026-11-22',
    note: 'Automatic dialers from 9 a.m.; other solicitors from 8 a.m. The stricter hours apply.',
  },
};
