import type { CallingRule } from '../calling-rule.ts';
import { everyDay, span } from '../hours-table.ts';

export const california: CallingRule = {
  jurisdiction: 'US-CA',
  name: 'California',
  version: 1,
  hours: { week: everyDay(span(9, 21)), exceptions: [] },
  naturalVoiceFirst: { citation: 'Cal. Pub. Util. Code § 2874, as amended by AB 2905 of 2024' },
  source: {
    basis: 'statute',
    citation: 'Cal. Pub. Util. Code § 2872',
    asOf: '2026-11-22',
    note: 'Applies to automatic dialing-announcing devices.',
  },
};
