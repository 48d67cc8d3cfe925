import type { CallingRule } from '../calling-rule.ts';
import { everyDay, span } from '../hours-table.ts';

export const maryland: CallingRule = {
  jurisdiction: 'US-MD',
  name: 'Maryland',
  version: 2,
  hours: { week: everyDay(span(8, 20)), exceptions: [] },
  caps: [{ calls: 3, hours: 24 }],
  source: {
    basis: 'statute',
    citation: 'Md. Code, Com. Law § 14-4501 ff. (Stop the Spam Calls Act of 2023)',
    asOf: '2026-11-27',
    note: 'At most three calls in 24 hours.',
  },
};
