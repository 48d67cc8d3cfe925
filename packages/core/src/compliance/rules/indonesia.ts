import { dates, daysFromEaster, type DayRule } from '../calendar-days.ts';
import type { CallingRule } from '../calling-rule.ts';
import { expressConsent } from '../consent.ts';
import { span, week } from '../hours-table.ts';

/** National holidays; those of the Islamic calendar may be observed a day later. The days of the Balinese and Buddhist calendars, and joint leave, are proclaimed each year and are not known. */
const holidays: readonly DayRule[] = [
  ...dates('01-01 05-01 06-01 08-17 12-25'),
  ...daysFromEaster(-2, 0, 39),
  { kind: 'lunar', calendar: 'chinese', month: 12, from: 30, to: 30 },
  { kind: 'lunar', calendar: 'chinese', month: 1, from: 1, to: 1 },
  { kind: 'lunar', calendar: 'islamic-umalqura', month: 1, from: 1, to: 1 },
  { kind: 'lunar', calendar: 'islamic-umalqura', month: 3, from: 12, to: 12 },
  { kind: 'lunar', calendar: 'islamic-umalqura', month: 7, from: 27, to: 27 },
  { kind: 'lunar', calendar: 'islamic-umalqura', month: 9, from: 30, to: 30 },
  { kind: 'lunar', calendar: 'islamic-umalqura', month: 10, from: 1, to: 3 },
  { kind: 'lunar', calendar: 'islamic-umalqura', month: 12, from: 10, to: 11 },
];

export const indonesia: CallingRule = {
  jurisdiction: 'ID',
  name: 'Indonesia',
  version: 2,
  hours: {
    week: week({ weekdays: [span(8, 18)], saturday: [span(8, 18)] }),
    exceptions: [{ days: holidays, spans: [] }],
  },
  consent: {
    asOf: '2026-11-27',
    readIn: 'wahananews.co and detik.com, on POJK 6/2022',
    marketing: {
      bases: expressConsent,
      citation:
        'POJK 22 of 2023, and POJK 6/POJK.07/2022, art. 25, for financial services; Law 27 of 2022, art. 20',
    },
  },
  source: {
    basis: 'regulation',
    citation:
      'SEOJK 12/SEOJK.07/2014 on the marketing of financial services; POJK 22 of 2023, art. 62, on collection',
    asOf: '2026-11-27',
    readIn: 'pages on the collection hours of the OJK',
    note: 'Written for financial services, applied to all calls. No calls on Sundays and national holidays.',
  },
};
