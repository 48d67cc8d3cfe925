import { dates, type DayRule } from '../calendar-days.ts';
import type { CallingRule } from '../calling-rule.ts';
import { span, week } from '../hours-table.ts';

/** Labour Code, art. 112. */
const holidays: readonly DayRule[] = [
  ...dates('01-01 01-02 01-03 01-04 01-05 01-06 01-07 01-08 02-23 03-08 05-01 05-09 06-12 11-04'),
];

export const russia: CallingRule = {
  jurisdiction: 'RU',
  name: 'Russia',
  version: 3,
  hours: {
    week: week({ weekdays: [span(8, 21)], saturday: [span(9, 20)], sunday: [span(9, 20)] }),
    exceptions: [{ days: holidays, spans: [span(9, 20)] }],
  },
  consent: {
    asOf: '2026-11-27',
    readIn: 'be5.biz, article 18 as amended in 2008',
    // Advertising needs a consent (1), and may not be made by a device that chooses or dials numbers without a person (2).
    marketing: { bases: [], citation: 'Federal Law 38-FZ on advertising, art. 18(1) and (2)' },
  },
  source: {
    basis: 'statute',
    citation: 'Federal Law 230-FZ of 2016, art. 7; Federal Law 38-FZ on advertising, art. 18',
    asOf: '2026-11-27',
    readIn: 'r09.fssp.gov.ru, answers of the bailiff service',
    note: 'Written for the collection of debts, applied to all calls; the text allows calls on weekdays until 22:00.',
  },
};
