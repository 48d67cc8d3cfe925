import { dates, daysFromEaster, type DayRule } from '../calendar-days.ts';
import type { CallingRule } from '../calling-rule.ts';
import { expressConsent } from '../consent.ts';
import { span, week } from '../hours-table.ts';

/** The national day, and the days that most cantons have, because the number does not show in which one a person lives. */
const holidays: readonly DayRule[] = [
  ...dates('01-01 01-02 05-01 08-01 08-15 11-01 12-08 12-25 12-26'),
  ...daysFromEaster(-2, 1, 39, 50, 60),
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
