import type { DayRule } from '../calendar-days.ts';
import type { CallingRule } from '../calling-rule.ts';
import { expressConsent } from '../consent.ts';
import { span, week } from '../hours-table.ts';

/** Law 1157/1981, with Whit Monday and the days of Easter of the Orthodox Church. */
const holidays: readonly DayRule[] = [
  { kind: 'date', month: 1, day: 1 },
  { kind: 'date', month: 1, day: 6 },
  { kind: 'easter', offsetDays: -48, calendar: 'julian' },
  { kind: 'date', month: 3, day: 25 },
  { kind: 'easter', offsetDays: -2, calendar: 'julian' },
  { kind: 'easter', offsetDays: 0, calendar: 'julian' },
  { kind: 'easter', offsetDays: 1, calendar: 'julian' },
  { kind: 'date', month: 5, day: 1 },
  { kind: 'easter', offsetDays: 50, calendar: 'julian' },
  { kind: 'date', month: 8, day: 15 },
  { kind: 'date', month: 10, day: 28 },
  { kind: 'date', month: 12, day: 25 },
  { kind: 'date', month: 12, day: 26 },
];

export const greece: CallingRule = {
  jurisdiction: 'GR',
  name: 'Greece',
  version: 2,
  hours: { week: week({ weekdays: [span(9, 20)] }), exceptions: [{ days: holidays, spans: [] }] },
  consent: {
    asOf: null,
    marketing: { bases: expressConsent, citation: 'Law 3471/2006, art. 11(1)' },
  },
  source: {
    basis: 'statute',
    citation: 'Law 3758/2009, art. 5 and 9; Law 3471/2006, art. 11',
    asOf: '2026-11-27',
    note: 'Written for notices of debts, applied to all calls; no law names hours for others. Working days only.',
  },
};
