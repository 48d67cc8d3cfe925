import type { CallingRule } from '../calling-rule.ts';
import { span, week } from '../hours-table.ts';

export const southDakota: CallingRule = {
  jurisdiction: 'US-SD',
  name: 'South Dakota',
  version: 1,
  hours: { week: week({ weekdays: [span(9, 21)], saturday: [span(9, 21)] }), exceptions: [] },
  source: {
    basis: 'statute',
    citation: 'S.D. Codified Laws § 37-30A',
    asOf: '2026-11-22',
    note: 'Sources differ on Sundays; no calls on them.',
  },
};
