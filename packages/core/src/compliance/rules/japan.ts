import type { CallingRule } from '../calling-rule.ts';
import { everyDay, span } from '../hours-table.ts';

export const japan: CallingRule = {
  jurisdiction: 'JP',
  name: 'Japan',
  version: 2,
  hours: { week: everyDay(span(9, 20)), exceptions: [] },
  consent: {
    asOf: null,
    none: 'No text that asks for consent was found: the Act on Specified Commercial Transactions, art. 17, forbids a call after a refusal',
  },
  source: {
    basis: 'practice',
    citation:
      'Act on Specified Commercial Transactions, art. 16 to 25; Money Lending Business Act, art. 21 (9 p.m. to 8 a.m.)',
    asOf: '2026-11-22',
    note: 'No general statute sets hours. The hours for lenders apply, less an hour at each end.',
  },
};
