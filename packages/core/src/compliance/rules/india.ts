import type { CallingRule } from '../calling-rule.ts';
import { everyDay, span } from '../hours-table.ts';

export const india: CallingRule = {
  jurisdiction: 'IN',
  name: 'India',
  version: 1,
  hours: { week: everyDay(span(9, 21)), exceptions: [] },
  source: {
    basis: 'regulation',
    citation: 'TRAI, Telecom Commercial Communications Customer Preference Regulations 2018',
    asOf: '2026-11-22',
  },
};
