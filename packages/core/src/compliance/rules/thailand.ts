import { dates, type DayRule } from '../calendar-days.ts';
import type { CallingRule } from '../calling-rule.ts';
import { span, week } from '../hours-table.ts';

/** Without the Buddhist days, which follow the moon, and the days that are proclaimed. */
const holidays: readonly DayRule[] = [
  ...dates('01-01 04-06 04-13 04-14 04-15 05-01 05-04 06-03 07-28 08-12 10-13 10-23 12-05 12-10 12-31'),
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
