import type { CallingRule } from '../calling-rule.ts';
import { everyDay, span } from '../hours-table.ts';

export const unitedStates: CallingRule = {
  jurisdiction: 'US',
  name: 'United States',
  version: 1,
  hours: { week: everyDay(span(8, 21)), exceptions: [] },
  registry: { goodForDays: 31, citation: '16 CFR 310.4(b)(3)(iv); 47 CFR 64.1200(c)(2)(i)(D)' },
  source: {
    basis: 'regulation',
    citation: '47 CFR 64.1200(c)(1); 16 CFR 310.4(c)',
    asOf: '2026-11-22',
    note: "Local time at the called party's location.",
  },
};
