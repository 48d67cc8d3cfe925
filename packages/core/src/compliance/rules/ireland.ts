import type { CallingRule } from '../calling-rule.ts';
import { expressConsent } from '../consent.ts';
import { span, week } from '../hours-table.ts';
import { irishHolidays } from './holidays.ts';

export const ireland: CallingRule = {
  jurisdiction: 'IE',
  name: 'Ireland',
  version: 3,
  hours: {
    week: week({ weekdays: [span(9, 21)], saturday: [span(9, 21)] }),
    exceptions: [{ days: irishHolidays, spans: [] }],
  },
  consent: {
    asOf: '2026-11-27',
    readIn: 'brexitlegal.ie, on the regulations',
    marketing: { bases: expressConsent, citation: 'S.I. 336/2011, reg. 13(1)' },
  },
  source: {
    basis: 'code',
    citation:
      'Central Bank (Supervision and Enforcement) Act 2013 (Section 48) (Conduct of Business) Regulations 2025, which replaced provision 3.39 of the Consumer Protection Code; holidays: Organisation of Working Time Act 1997, schedule 2',
    asOf: '2026-11-26',
    note: 'Written for financial services, applied to all calls. No calls on Sundays and public holidays.',
  },
};
