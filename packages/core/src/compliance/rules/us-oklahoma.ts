import type { CallingRule } from '../calling-rule.ts';
import { everyDay, span } from '../hours-table.ts';

export const oklahoma: CallingRule = {
  jurisdiction: 'US-OK',
  name: 'Oklahoma',
  version: 1,
  hours: { week: everyDay(span(8, 20)), exceptions: [] },
  source: {
    basis: 'statute',
    citation: 'Okla. Stat. tit. 15 § 775C.4',
    asOf: '2026-11-22',
  },
};
