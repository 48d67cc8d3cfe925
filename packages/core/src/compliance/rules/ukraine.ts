import type { DayRule } from '../calendar-days.ts';
import type { CallingRule } from '../calling-rule.ts';
import { writtenConsent } from '../consent.ts';
import { span, week } from '../hours-table.ts';

/** Labour Code, art. 73. */
const holidays: readonly DayRule[] = [
  { kind: 'date', month: 1, day: 1 },
  { kind: 'date', month: 3, day: 8 },
  { kind: 'easter', offsetDays: 0, calendar: 'julian' },
  { kind: 'easter', offsetDays: 1, calendar: 'julian' },
  { kind: 'easter', offsetDays: 49, calendar: 'julian' },
  { kind: 'easter', offsetDays: 50, calendar: 'julian' },
  { kind: 'date', month: 5, day: 1 },
  { kind: 'date', month: 5, day: 8 },
  { kind: 'date', month: 6, day: 28 },
  { kind: 'date', month: 7, day: 15 },
  { kind: 'date', month: 8, day: 24 },
  { kind: 'date', month: 10, day: 1 },
  { kind: 'date', month: 12, day: 25 },
];

export const ukraine: CallingRule = {
  jurisdiction: 'UA',
  name: 'Ukraine',
  version: 2,
  hours: { week: week({ weekdays: [span(9, 20)] }), exceptions: [{ days: holidays, spans: [] }] },
  consent: {
    asOf: '2026-11-27',
    readIn: 'protocol.ua',
    marketing: { bases: writtenConsent, citation: 'Law 270/96-VR on advertising, art. 14-3(2)' },
  },
  source: {
    basis: 'statute',
    citation: 'Law 1734-VIII on consumer credit, art. 25, after Law 1349-IX of 2021',
    asOf: '2026-11-27',
    note: 'Written for the collection of debts, applied to all calls. No calls on weekends and holidays.',
  },
};
