import type { CallingRule } from '../calling-rule.ts';
import { expressConsent } from '../consent.ts';
import { span, week } from '../hours-table.ts';
import { peruvianHolidays } from './holidays.ts';

export const peru: CallingRule = {
  jurisdiction: 'PE',
  name: 'Peru',
  version: 2,
  hours: { week: week({ weekdays: [span(8, 20)] }), exceptions: [{ days: peruvianHolidays, spans: [] }] },
  consent: {
    asOf: '2026-11-27',
    readIn: 'teoriadelderecho.com, the article as of Decreto Legislativo 1390',
    marketing: { bases: expressConsent, citation: 'Ley 29571, art. 58.1(e)' },
  },
  source: {
    basis: 'statute',
    citation:
      'Código de Protección y Defensa del Consumidor (Ley 29571), art. 58.1, after Ley 32323 of 2025; holidays: Decreto Legislativo 713',
    asOf: '2026-11-26',
    note: 'Sources say from 07:00; the beginning is that of countries without a rule. No calls on weekends and holidays.',
  },
};
