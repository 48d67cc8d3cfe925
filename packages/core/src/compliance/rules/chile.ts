import type { DayRule } from '../calendar-days.ts';
import type { CallingRule } from '../calling-rule.ts';
import { span, week } from '../hours-table.ts';

/** Ley 2.977, with the days added since. Where a day moves, both days count. */
const holidays: readonly DayRule[] = [
  { kind: 'date', month: 1, day: 1 },
  { kind: 'easter', offsetDays: -2 },
  { kind: 'easter', offsetDays: -1 },
  { kind: 'date', month: 5, day: 1 },
  { kind: 'date', month: 5, day: 21 },
  { kind: 'date', month: 6, day: 20 },
  { kind: 'date', month: 6, day: 21 },
  { kind: 'date', month: 6, day: 29 },
  { kind: 'date', month: 7, day: 16 },
  { kind: 'date', month: 8, day: 15 },
  { kind: 'date', month: 9, day: 17 },
  { kind: 'date', month: 9, day: 18 },
  { kind: 'date', month: 9, day: 19 },
  { kind: 'date', month: 9, day: 20 },
  { kind: 'date', month: 10, day: 12 },
  { kind: 'date', month: 10, day: 31 },
  { kind: 'date', month: 11, day: 1 },
  { kind: 'date', month: 12, day: 8 },
  { kind: 'date', month: 12, day: 25 },
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
