import type { CallingRule } from '../calling-rule.ts';
import { span, week } from '../hours-table.ts';

export const maine: CallingRule = {
  jurisdiction: 'US-ME',
  name: 'Maine',
  version: 2,
  hours: { week: week({ weekdays: [span(9, 17)] }), exceptions: [] },
  caps: [{ calls: 1, hours: 8 }],
  source: {
    basis: 'statute',
    citation: '10 M.R.S. § 1498',
    asOf: '2026-11-27',
    note: 'Applies to automated telephone calling devices. Monday to Friday only. At most one call in eight hours.',
  },
};
