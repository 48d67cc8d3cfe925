import type { DayRule } from '../calendar-days.ts';
import type { CallingRule } from '../calling-rule.ts';
import { expressConsent } from '../consent.ts';
import { span, week } from '../hours-table.ts';

/** The national day, and the days that most cantons have, because the number does not show in which one a person lives. */
const holidays: readonly DayRule[] = [
  { kind: 'date', month: 1, day: 1 },
  { kind: 'date', month: 1, day: 2 },
  { kind: 'easter', offsetDays: -2 },
  { kind: 'easter', offsetDays: 1 },
  { kind: 'date', month: 5, day: 1 },
  { kind: 'easter', offsetDays: 39 },
  { kind: 'easter', offsetDays: 50 },
  { kind: 'easter', offsetDays: 60 },
  { kind: 'date', month: 8, day: 1 },
  { kind: 'date', month: 8, day: 15 },
  { kind: 'date', month: 11, day: 1 },
  { kind: 'date', month: 12, day: 8 },
  { kind: 'date', month: 12, day: 25 },
  { kind: 'date', month: 12, day: 26 },
];

export const switzerland: CallingRule = {
  jurisdiction: 'CH',
  name: 'Switzerland',
  version: 2,
  hours: {
    week: week({ weekdays: [span(8, 20)], saturday: [span(9, 16)] }),
    exceptions: [{ days: holidays, spans: [] }],
  },
  consent: { asOf: null, marketing: { bases: expressConsent, citation: 'UWG art. 3(1)(o)' } },
  source: {
    basis: 'code',
    citation: 'CallNet.ch, Ehrenkodex; UWG art. 3(1)(u) to (w)',
    asOf: '2026-11-27',
    readIn: 'callcenterschweiz24.ch, Ehrenkodex',
    note: 'Members give 20:30 as the end; other texts 20:00, which applies. No calls on Sundays and holidays.',
  },
};
