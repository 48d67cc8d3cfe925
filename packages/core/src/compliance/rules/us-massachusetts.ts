import type { CallingRule } from '../calling-rule.ts';
import { everyDay, span } from '../hours-table.ts';

export const massachusetts: CallingRule = {
  jurisdiction: 'US-MA',
  name: 'Massachusetts',
  version: 1,
  hours: { week: everyDay(span(8, 20)), exceptions: [] },
  source: {
    basis: 'statute',
    citation: 'Mass. Gen. Laws c. 159C § 3; 201 CMR 12.00',
    asOf: '2026-11-22',
  },
};
