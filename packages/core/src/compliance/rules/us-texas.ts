import type { CallingRule } from '../calling-rule.ts';
import { span, week } from '../hours-table.ts';

export const texas: CallingRule = {
  jurisdiction: 'US-TX',
  name: 'Texas',
  version: 1,
  hours: {
    week: week({ weekdays: [span(9, 21)], saturday: [span(9, 21)], sunday: [span(12, 21)] }),
    exceptions: [],
  },
  source: {
    basis: 'statute',
    citation: 'Tex. Bus. & Com. Code § 301.051',
    asOf: '2026-11-22',
  },
};
