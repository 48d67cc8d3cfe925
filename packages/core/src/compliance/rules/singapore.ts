import { daysFromEaster, movingDates, type DayRule } from '../calendar-days.ts';
import type { CallingRule } from '../calling-rule.ts';
import { expressConsent } from '../consent.ts';
import { span, week } from '../hours-table.ts';

/** Holidays Act 1998, schedule. A day after those of the moon counts too, because they may fall a day later or on a Sunday. Deepavali is proclaimed and is not known. */
const holidays: readonly DayRule[] = [
  ...movingDates('sunday', '01-01 05-01 08-09 12-25'),
  ...daysFromEaster(-2),
  { kind: 'lunar', calendar: 'chinese', month: 12, from: 30, to: 30 },
  { kind: 'lunar', calendar: 'chinese', month: 1, from: 1, to: 3 },
  { kind: 'lunar', calendar: 'chinese', month: 4, from: 15, to: 16 },
  { kind: 'lunar', calendar: 'islamic-umalqura', month: 10, from: 1, to: 2 },
  { kind: 'lunar', calendar: 'islamic-umalqura', month: 12, from: 10, to: 11 },
];

export const singapore: CallingRule = {
  jurisdiction: 'SG',
  name: 'Singapore',
  version: 2,
  hours: {
    week: week({ weekdays: [span(8, 21)], saturday: [span(9, 18)] }),
    exceptions: [{ days: holidays, spans: [] }],
  },
  registry: {
    goodForDays: 21,
    citation: 'Personal Data Protection (Do Not Call Registry) Regulations 2013, reg. 8',
  },
  consent: {
    asOf: null,
    marketing: {
      bases: expressConsent,
      citation:
        'Personal Data Protection Act 2012, s. 43: a consent, or a number that is not on the register',
    },
  },
  source: {
    basis: 'code',
    citation:
      'Contact Centre Association of Singapore, telemarketing guidelines; Personal Data Protection Act 2012, part 9',
    asOf: '2026-11-27',
    readIn: 'coldcall.sg, rules on telemarketing',
    note: 'No calls on Sundays and public holidays.',
  },
};
