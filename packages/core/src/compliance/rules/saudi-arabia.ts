import type { CallingRule } from '../calling-rule.ts';
import { expressConsent } from '../consent.ts';
import { everyDay, span } from '../hours-table.ts';

/** By the calendar of Umm al-Qura. */
const ramadan = { kind: 'lunar', calendar: 'islamic-umalqura', month: 9, from: 1, to: 30 } as const;

export const saudiArabia: CallingRule = {
  jurisdiction: 'SA',
  name: 'Saudi Arabia',
  version: 2,
  hours: { week: everyDay(span(9, 21)), exceptions: [{ days: [ramadan], spans: [span(12, 21)] }] },
  consent: {
    asOf: '2026-11-27',
    readIn: 'ksapdpl.com',
    marketing: {
      bases: expressConsent,
      citation: 'Personal Data Protection Law (Royal Decree M/19), art. 25 and 26',
    },
  },
  source: {
    basis: 'regulation',
    citation:
      'Regulation for Reduction of SPAM (CITC Decision 395/1439 and its successors), as the terms of carriers render it',
    asOf: '2026-11-27',
    readIn: 'unifonic.com, voice terms',
    note: 'Carriers forbid advertising calls from 22:00 to 09:00, and in Ramadan from 01:00 to 12:00; the end is that of countries without a rule.',
  },
};
