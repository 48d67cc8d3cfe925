import type { CallingRule } from '../calling-rule.ts';
import { everyDay, span } from '../hours-table.ts';

export const unitedArabEmirates: CallingRule = {
  jurisdiction: 'AE',
  name: 'United Arab Emirates',
  version: 1,
  hours: { week: everyDay(span(9, 18)), exceptions: [] },
  source: {
    basis: 'regulation',
    citation: 'Cabinet Resolution No. 56 of 2024 on telemarketing',
    asOf: '2026-11-26',
  },
};
