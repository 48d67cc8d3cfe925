import type { CallingRule } from '../calling-rule.ts';
import { everyDay, span } from '../hours-table.ts';
import { usFederalHolidays } from './holidays.ts';

export const pennsylvania: CallingRule = {
  jurisdiction: 'US-PA',
  name: 'Pennsylvania',
  version: 1,
  hours: {
    week: everyDay(span(8, 21)),
    exceptions: [{ days: [...usFederalHolidays, { kind: 'easter', offsetDays: -2 }], spans: [] }],
  },
  source: {
    basis: 'statute',
    citation: '73 P.S. § 2241 ff.; holidays: 44 P.S. § 11',
    asOf: '2026-11-22',
    note: 'No calls on legal holidays.',
  },
};
