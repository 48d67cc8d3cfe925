import { dates, daysFromEaster, type DayRule } from '../calendar-days.ts';
import type { CallingRule } from '../calling-rule.ts';
import { span, week } from '../hours-table.ts';

/** Código del Trabajo, art. 65. A day may be observed on a weekday near it, which is not known. */
const holidays: readonly DayRule[] = [
  ...dates('01-01 05-01 05-24 08-10 10-09 11-02 11-03 12-25'),
  ...daysFromEaster(-48, -47, -2),
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
