import { dates, daysFromOrthodoxEaster, type DayRule } from '../calendar-days.ts';
import type { CallingRule } from '../calling-rule.ts';
import { writtenConsent } from '../consent.ts';
import { span, week } from '../hours-table.ts';

/** Labour Code, art. 73. */
const holidays: readonly DayRule[] = [
  ...dates('01-01 03-08 05-01 05-08 06-28 07-15 08-24 10-01 12-25'),
  ...daysFromOrthodoxEaster(0, 1, 49, 50),
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
