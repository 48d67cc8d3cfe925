import type { CallingRule } from '../calling-rule.ts';
import { everyDay, span } from '../hours-table.ts';
import { usFederalHolidays } from './holidays.ts';

const goodFriday = { kind: 'easter', offsetDays: -2 } as const;
const flagDay = { kind: 'date', month: 6, day: 14 } as const;

export const pennsylvania: CallingRule = {
  jurisdiction: 'US-PA',
  name: 'Pennsylvania',
  version: 2,
  hours: {
    week: everyDay(span(8, 21)),
    exceptions: [{ days: [...usFederalHolidays, goodFriday, flagDay], spans: [] }],
  },
  source: {
    basis: 'statute',
    citation: '73 P.S. § 2241 ff.; holidays: 44 P.S. § 11',
    asOf: '2026-11-24',
    note: 'No calls on legal holidays.',
  },
};
