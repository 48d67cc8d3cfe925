import type { DayRule } from '../calendar-days.ts';
import type { CallingRule } from '../calling-rule.ts';
import { span, week } from '../hours-table.ts';

/** Without the Buddhist days, which follow the moon, and the days that are proclaimed. */
const holidays: readonly DayRule[] = [
  { kind: 'date', month: 1, day: 1 },
  { kind: 'date', month: 4, day: 6 },
  { kind: 'date', month: 4, day: 13 },
  { kind: 'date', month: 4, day: 14 },
  { kind: 'date', month: 4, day: 15 },
  { kind: 'date', month: 5, day: 1 },
  { kind: 'date', month: 5, day: 4 },
  { kind: 'date', month: 6, day: 3 },
  { kind: 'date', month: 7, day: 28 },
  { kind: 'date', month: 8, day: 12 },
  { kind: 'date', month: 10, day: 13 },
  { kind: 'date', month: 10, day: 23 },
  { kind: 'date', month: 12, day: 5 },
  { kind: 'date', month: 12, day: 10 },
  { kind: 'date', month: 12, day: 31 },
];

export const thailand: CallingRule = {
  jurisdiction: 'TH',
  name: 'Thailand',
  version: 2,
  hours: {
    week: week({ weekdays: [span(8, 20)], saturday: [span(8, 18)], sunday: [span(8, 18)] }),
    exceptions: [{ days: holidays, spans: [span(8, 18)] }],
  },
  consent: {
    asOf: null,
    none: 'No text that asks for consent was found: the Personal Data Protection Act B.E. 2562, s. 24 and 32, allows other grounds, and gives a right to object',
  },
  source: {
    basis: 'statute',
    citation: 'Debt Collection Act B.E. 2558 (2015), s. 9',
    asOf: '2026-11-27',
    readIn: 'thairesidents.com, 24 August 2019',
    note: 'Written for collectors of debts, applied to all calls; no law names hours for others. Until 18:00 on weekends and holidays.',
  },
};
