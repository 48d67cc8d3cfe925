import { dates, daysFromOrthodoxEaster, type DayRule } from '../calendar-days.ts';
import type { CallingRule } from '../calling-rule.ts';
import { expressConsent } from '../consent.ts';
import { span, week } from '../hours-table.ts';

/** Law 1157/1981, with Whit Monday and the days of Easter of the Orthodox Church. */
const holidays: readonly DayRule[] = [
  ...dates('01-01 01-06 03-25 05-01 08-15 10-28 12-25 12-26'),
  ...daysFromOrthodoxEaster(-48, -2, 0, 1, 50),
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
