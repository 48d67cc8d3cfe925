import type { DayRule } from '../calendar-days.ts';
import type { CallingRule } from '../calling-rule.ts';
import { expressConsent } from '../consent.ts';
import { span, week } from '../hours-table.ts';

/** Labour Code, art. 112. */
const holidays: readonly DayRule[] = [
  { kind: 'date', month: 1, day: 1 },
  { kind: 'date', month: 1, day: 2 },
  { kind: 'date', month: 1, day: 3 },
  { kind: 'date', month: 1, day: 4 },
  { kind: 'date', month: 1, day: 5 },
  { kind: 'date', month: 1, day: 6 },
  { kind: 'date', month: 1, day: 7 },
  { kind: 'date', month: 1, day: 8 },
  { kind: 'date', month: 2, day: 23 },
  { kind: 'date', month: 3, day: 8 },
  { kind: 'date', month: 5, day: 1 },
  { kind: 'date', month: 5, day: 9 },
  { kind: 'date', month: 6, day: 12 },
  { kind: 'date', month: 11, day: 4 },
];

export const russia: CallingRule = {
  jurisdiction: 'RU',
  name: 'Russia',
  version: 2,
  hours: {
    week: week({ weekdays: [span(8, 21)], saturday: [span(9, 20)], sunday: [span(9, 20)] }),
    exceptions: [{ days: holidays, spans: [span(9, 20)] }],
  },
  consent: {
    asOf: null,
    marketing: { bases: expressConsent, citation: 'Federal Law 38-FZ on advertising, art. 18(1)' },
  },
  source: {
    basis: 'statute',
    citation: 'Federal Law 230-FZ of 2016, art. 7; Federal Law 38-FZ on advertising, art. 18',
    asOf: '2026-11-27',
    readIn: 'r09.fssp.gov.ru, answers of the bailiff service',
    note: 'Written for the collection of debts, applied to all calls; the text allows calls on weekdays until 22:00.',
  },
};
