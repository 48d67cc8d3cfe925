import type { CallingRule } from '../calling-rule.ts';
import { everyDay, span } from '../hours-table.ts';

export const nigeria: CallingRule = {
  jurisdiction: 'NG',
  name: 'Nigeria',
  version: 1,
  hours: { week: everyDay(span(8, 20)), exceptions: [] },
  source: {
    basis: 'practice',
    citation: 'Nigerian Communications Commission, directions on unsolicited messages and calls',
    asOf: '2026-11-27',
    note: 'The text was not found; reports name the hours from 8 a.m. to 8 p.m.',
  },
};
