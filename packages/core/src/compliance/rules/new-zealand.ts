import { daysFromEaster, movingDates, type DayRule } from '../calendar-days.ts';
import type { CallingRule } from '../calling-rule.ts';
import { span, week } from '../hours-table.ts';

const matariki: readonly DayRule[] = [19, 26, 33, 40, 47, 54].map((day) =>
  day > 30
    ? { kind: 'weekday_before', month: 7, day: day - 30, weekday: 5 }
    : { kind: 'weekday_before', month: 6, day, weekday: 5 },
);
/** Holidays Act 2003, s. 44, without the anniversary days of the provinces. */
const holidays: readonly DayRule[] = [
  ...movingDates('two_days_on', '01-01 01-02 12-25 12-26'),
  ...movingDates('next', '02-06 04-25'),
  ...daysFromEaster(-2, 1),
  { kind: 'nth_weekday', month: 6, weekday: 1, nth: 1 },
  { kind: 'nth_weekday', month: 10, weekday: 1, nth: 4 },
];

export const newZealand: CallingRule = {
  jurisdiction: 'NZ',
  name: 'New Zealand',
  version: 3,
  hours: {
    week: week({ weekdays: [span(8, 21)], saturday: [span(8, 21)] }),
    exceptions: [{ days: [...holidays, ...matariki], spans: [] }],
  },
  consent: {
    asOf: null,
    none: 'No text that asks for consent was found: the Unsolicited Electronic Messages Act 2007 does not apply to voice calls',
  },
  source: {
    basis: 'code',
    citation:
      'New Zealand Marketing Association, Telemarketing Code of Practice; Te Kāhui o Matariki Public Holiday Act 2022',
    asOf: '2026-11-27',
    readIn: 'amway.co.nz, legal information',
    note: 'No calls on Sundays and public holidays. Matariki follows the moon: every Friday on which it can fall counts.',
  },
};
