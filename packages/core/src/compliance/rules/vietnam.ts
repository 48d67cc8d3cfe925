import type { CallingRule } from '../calling-rule.ts';
import { expressConsent } from '../consent.ts';
import { everyDay, span } from '../hours-table.ts';

export const vietnam: CallingRule = {
  jurisdiction: 'VN',
  name: 'Vietnam',
  version: 2,
  hours: { week: everyDay(span(8, 17)), exceptions: [] },
  caps: [{ calls: 1, hours: 24 }],
  consent: {
    asOf: '2026-11-27',
    readIn: 'mondaq.com, 1099756',
    marketing: { bases: expressConsent, citation: 'Nghị định 91/2020/NĐ-CP, art. 13' },
  },
  source: {
    basis: 'regulation',
    citation: 'Nghị định 91/2020/NĐ-CP, art. 13',
    asOf: '2026-11-27',
    readIn: 'kdllaw.vn, four policies in force from October 2020',
    note: 'Advertising calls. Other calls are given the same hours. One advertising call in 24 hours.',
  },
};
