import type { CallingRule } from '../calling-rule.ts';
import { everyDay, span } from '../hours-table.ts';

export const nevada: CallingRule = {
  jurisdiction: 'US-NV',
  name: 'Nevada',
  version: 1,
  hours: { week: everyDay(span(9, 20)), exceptions: [] },
  source: {
    basis: 'statute',
    citation: 'Nev. Rev. Stat. § 597.814; § 599B.010 ff.',
    asOf: '2026-11-22',
    note: 'Sources differ on 8 or 9 p.m.; the earlier time applies.',
  },
};
