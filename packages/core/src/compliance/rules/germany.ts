import type { CallingRule } from '../calling-rule.ts';
import { expressConsent } from '../consent.ts';
import { span, week } from '../hours-table.ts';
import { germanHolidays } from './holidays.ts';

export const germany: CallingRule = {
  jurisdiction: 'DE',
  name: 'Germany',
  version: 2,
  hours: {
    week: week({ weekdays: [span(8, 20)], saturday: [span(9, 18)] }),
    exceptions: [{ days: germanHolidays, spans: [] }],
  },
  consent: { asOf: '2026-11-27', marketing: { bases: expressConsent, citation: 'UWG § 7(2) no. 1 and 2' } },
  source: {
    basis: 'code',
    citation: 'UWG § 7; Branchenkodex Telefonmarketing (CCV, DDV)',
    asOf: '2026-11-22',
    note: 'The statute sets no hours. The holidays of all sixteen states apply.',
  },
};
