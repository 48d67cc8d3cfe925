import type { DayRule } from '../calendar-days.ts';
import type { CallingRule } from '../calling-rule.ts';
import { span, week } from '../hours-table.ts';

/** Código del Trabajo, art. 65. A day may be observed on a weekday near it, which is not known. */
const holidays: readonly DayRule[] = [
  { kind: 'date', month: 1, day: 1 },
  { kind: 'easter', offsetDays: -48 },
  { kind: 'easter', offsetDays: -47 },
  { kind: 'easter', offsetDays: -2 },
  { kind: 'date', month: 5, day: 1 },
  { kind: 'date', month: 5, day: 24 },
  { kind: 'date', month: 8, day: 10 },
  { kind: 'date', month: 10, day: 9 },
  { kind: 'date', month: 11, day: 2 },
  { kind: 'date', month: 11, day: 3 },
  { kind: 'date', month: 12, day: 25 },
];

export const ecuador: CallingRule = {
  jurisdiction: 'EC',
  name: 'Ecuador',
  version: 2,
  hours: { week: week({ weekdays: [span(8, 20)] }), exceptions: [{ days: holidays, spans: [] }] },
  consent: {
    asOf: null,
    none: 'No text that asks for consent to calls was found: the Ley Orgánica de Protección de Datos Personales, art. 7, allows other grounds',
  },
  source: {
    basis: 'statute',
    citation: 'Ley Orgánica de Defensa del Consumidor, art. 49, as amended in 2022',
    asOf: '2026-11-27',
    readIn: 'metroecuador.com.ec, 18 February 2026',
    note: 'Written for the collection of debts, applied to all calls. The text allows them from 07:00; the beginning is that of countries without a rule. No calls on weekends and holidays.',
  },
};
