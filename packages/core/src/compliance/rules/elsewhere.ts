import type { CallingRule } from '../calling-rule.ts';
import { everyDay, span } from '../hours-table.ts';

export const elsewhere: CallingRule = {
  jurisdiction: 'XX',
  name: 'A country without its own rule',
  version: 1,
  hours: { week: everyDay(span(8, 21)), exceptions: [] },
  source: {
    basis: 'practice',
    citation: 'None: no rule is on file for this country',
    asOf: '2026-11-22',
    note: 'The hours that most rules have in common. An operator can replace them with a rule for the country.',
  },
};
