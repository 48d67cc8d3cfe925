import { dates, daysFromEaster, type DayRule } from '../calendar-days.ts';
import type { CallingRule } from '../calling-rule.ts';
import { span, week } from '../hours-table.ts';

/** Ley 2.977, with the days added since. Where a day moves, both days count. */
const holidays: readonly DayRule[] = [
  ...dates(
    '01-01 05-01 05-21 06-20 06-21 06-29 07-16 08-15 09-17 09-18 09-19 09-20 10-12 10-31 11-01 12-08 12-25',
  ),
  ...daysFromEaster(-2, -1),
  { kind: 'weekday_before', month: 7, day: 2, weekday: 1 },
  { kind: 'weekday_before', month: 10, day: 15, weekday: 1 },
  { kind: 'weekday_before', month: 11, day: 2, weekday: 5 },
];

export const chile: CallingRule = {
  jurisdiction: 'CL',
  name: 'Chile',
  version: 2,
  hours: {
    week: week({ weekdays: [span(8, 20)], saturday: [span(8, 20)] }),
    exceptions: [{ days: holidays, spans: [] }],
  },
  consent: {
    asOf: '2026-11-27',
    readIn: 'cooperativa.cl, 12 August 2025',
    none: 'No text that asks for consent was found: Ley 19.496, art. 28 B, gives a right to refuse, and the prefix 809 marks calls that nobody requested',
  },
  source: {
    basis: 'statute',
    citation: 'Ley 19.496, art. 37, after Ley 21.320 of 2021',
    asOf: '2026-11-27',
    readIn: 'deudas.cl',
    note: 'Written for the collection of debts, applied to all calls; advertising may be refused at any time (art. 28 B). No calls on Sundays and holidays.',
  },
};
