import type { CallingRule } from '../calling-rule.ts';
import { expressConsent, writtenConsent } from '../consent.ts';
import { everyDay, span } from '../hours-table.ts';

export const unitedStates: CallingRule = {
  jurisdiction: 'US',
  name: 'United States',
  version: 2,
  hours: { week: everyDay(span(8, 21)), exceptions: [] },
  registry: { goodForDays: 31, citation: '16 CFR 310.4(b)(3)(iv); 47 CFR 64.1200(c)(2)(i)(D)' },
  // An artificial voice: FCC, Declaratory Ruling 24-17 of 2024.
  consent: {
    asOf: '2026-11-27',
    readIn: 'hallikainen.org, 47 CFR 64.1200 as of 2015',
    marketing: { bases: writtenConsent, citation: '47 CFR 64.1200(a)(2), (a)(3) and (f)(9)' },
    service: { bases: expressConsent, citation: '47 CFR 64.1200(a)(1)' },
    debt_collection: { bases: expressConsent, citation: '47 CFR 64.1200(a)(1)' },
  },
  source: {
    basis: 'regulation',
    citation: '47 CFR 64.1200(c)(1); 16 CFR 310.4(c)',
    asOf: '2026-11-22',
    note: "Local time at the called party's location.",
  },
};
