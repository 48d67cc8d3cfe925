import type { CallingRule } from '../calling-rule.ts';
import { expressConsent } from '../consent.ts';
import { everyDay, span } from '../hours-table.ts';

export const portugal: CallingRule = {
  jurisdiction: 'PT',
  name: 'Portugal',
  version: 2,
  hours: { week: everyDay(span(9, 21)), exceptions: [] },
  consent: {
    asOf: '2026-11-27',
    readIn: 'debates.parlamento.pt, the decree that became Lei 46/2012',
    marketing: { bases: expressConsent, citation: 'Lei 41/2004, art. 13-A(1)' },
  },
  source: {
    basis: 'statute',
    citation: 'Decreto-Lei 134/2009, on telephone contact centres',
    asOf: '2026-11-26',
    note: 'The text allows calls until 22:00; the end is that of countries without a rule.',
  },
};
