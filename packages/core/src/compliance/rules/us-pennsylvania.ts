import type { CallingRule } from '../calling-rule.ts';
import { everyDay, span } from '../hours-table.ts';
import { usFederalHolidays } from './holidays.ts';

const goodFriday = { kind: 'easter', offsetDays: -2 } as const;
/** The Tuesday after the first Monday of November. */
const electionDay = { kind: 'weekday_before', month: 11, day: 8, weekday: 2 } as const;
const flagDay = { kind: 'date', month: 6, day: 14, moves: 'sunday' } as const;

export const pennsylvania: CallingRule = {
  jurisdiction: 'US-PA',
  name: 'Pennsylvania',
  version: 4,
  hours: {
    week: everyDay(span(8, 21)),
    exceptions: [{ days: [...usFederalHolidays, goodFriday, flagDay, electionDay], spans: [] }],
  },
  source: {
    basis: 'statute',
    citation: '73 P.S. § 2245(a)(10); holidays: 44 P.S. § 11',
    asOf: '2026-11-26',
    note: 'No calls on legal holidays.',
  },
};
