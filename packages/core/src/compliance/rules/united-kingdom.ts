import type { CallingRule } from '../calling-rule.ts';
import { expressConsent } from '../consent.ts';
import { span, week } from '../hours-table.ts';
import { christmasAndNextDay } from './holidays.ts';

export const unitedKingdom: CallingRule = {
  jurisdiction: 'GB',
  name: 'United Kingdom',
  version: 2,
  hours: {
    week: week({ weekdays: [span(8, 21)], saturday: [span(9, 17)] }),
    exceptions: [
      {
        days: [
          { kind: 'date', month: 1, day: 1, moves: 'next' },
          { kind: 'easter', offsetDays: -2 },
          { kind: 'easter', offsetDays: 1 },
          { kind: 'nth_weekday', month: 5, weekday: 1, nth: 1 },
          { kind: 'nth_weekday', month: 5, weekday: 1, nth: -1 },
          { kind: 'nth_weekday', month: 8, weekday: 1, nth: -1 },
          ...christmasAndNextDay,
        ],
        spans: [],
      },
    ],
  },
  registry: {
    goodForDays: 28,
    citation: 'Privacy and Electronic Communications (EC Directive) Regulations 2003, reg. 21(3)',
  },
  consent: {
    asOf: '2026-11-27',
    readIn: 'the guide of the Information Commissioner on automated calls',
    marketing: {
      bases: expressConsent,
      citation: 'Privacy and Electronic Communications (EC Directive) Regulations 2003, reg. 19',
    },
  },
  source: {
    basis: 'code',
    citation:
      'Data & Marketing Association, DMA Code, and guidance on telemarketing; bank holidays of England and Wales: Banking and Financial Dealings Act 1971, schedule 1',
    asOf: '2026-11-22',
    note: 'No statute sets hours. The strictest of the codes applies. No calls on Sundays and bank holidays.',
  },
};
