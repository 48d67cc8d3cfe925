import type { CallingRule } from '../calling-rule.ts';
import { span, week } from '../hours-table.ts';
import { germanHolidays } from './holidays.ts';

export const germany: CallingRule = {
  jurisdiction: 'DE',
  name: 'Germany',
  version: 1,
  hours: {
    week: week({ weekdays: [span(8, 20)], saturday: [span(9, 18)] }),
    exceptions: [{ days: germanHolidays, spans: [] }],
  },
  source: {
    basis: 'code',
    citation: 'UWG § 7; Branchenkodex Telefonmarketing (CCV, DDV)',
    asOf: '2026-11-22',
    note: 'The statute requires consent and sets no hours. The holidays of all sixteen states apply.',
  },
};
