import type { CallingRule } from '../calling-rule.ts';
import { expressConsent } from '../consent.ts';
import { span, week } from '../hours-table.ts';

export const canada: CallingRule = {
  jurisdiction: 'CA',
  name: 'Canada',
  version: 2,
  hours: {
    week: week({ weekdays: [span(9, 21.5)], saturday: [span(10, 18)], sunday: [span(10, 18)] }),
    exceptions: [],
  },
  registry: { goodForDays: 31, citation: 'CRTC Unsolicited Telecommunications Rules, Part II, section 11' },
  consent: {
    asOf: '2026-11-27',
    readIn: 'lexology.com, on Compliance and Enforcement Regulatory Policy CRTC 2014-155',
    marketing: {
      bases: expressConsent,
      citation: 'CRTC Unsolicited Telecommunications Rules, Part IV, section 2',
    },
  },
  source: {
    basis: 'regulation',
    citation: 'CRTC Unsolicited Telecommunications Rules, Part III, section 23; Part IV, section 4',
    asOf: '2026-11-22',
    note: 'Local time of the consumer.',
  },
};
