import type { CallingRule } from '../calling-rule.ts';
import { expressConsent } from '../consent.ts';
import { span, week } from '../hours-table.ts';
import { australianHolidays } from './holidays.ts';

export const australia: CallingRule = {
  jurisdiction: 'AU',
  name: 'Australia',
  version: 2,
  hours: {
    week: week({ weekdays: [span(9, 20)], saturday: [span(9, 17)] }),
    exceptions: [{ days: australianHolidays, spans: [] }],
  },
  registry: { goodForDays: 30, citation: 'Do Not Call Register Act 2006, s. 11(3)' },
  consent: {
    asOf: null,
    marketing: {
      bases: expressConsent,
      citation:
        'Do Not Call Register Act 2006, s. 11 and schedule 2: a consent, or a number that is not on the register',
    },
  },
  source: {
    basis: 'regulation',
    citation: 'Telecommunications (Telemarketing and Research Calls) Industry Standard 2017, section 8',
    asOf: '2026-11-22',
    note: 'No calls on Sundays and national public holidays.',
  },
};
