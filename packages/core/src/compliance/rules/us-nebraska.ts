import type { CallingRule } from '../calling-rule.ts';
import { span, week } from '../hours-table.ts';
import { usFederalHolidays } from './holidays.ts';

const arborDay = { kind: 'nth_weekday', month: 4, weekday: 5, nth: -1 } as const;
/** The fourth Friday is not always the day after the fourth Thursday. */
const dayAfterThanksgiving = { kind: 'weekday_before', month: 11, day: 29, weekday: 5 } as const;

export const nebraska: CallingRule = {
  jurisdiction: 'US-NE',
  name: 'Nebraska',
  version: 1,
  hours: {
    week: week({ weekdays: [span(8, 21)], saturday: [span(8, 21)], sunday: [span(13, 21)] }),
    exceptions: [{ days: [...usFederalHolidays, arborDay, dayAfterThanksgiving], spans: [span(13, 21)] }],
  },
  source: {
    basis: 'regulation',
    citation: '291 Neb. Admin. Code, ch. 11, § 3; holidays: Neb. Rev. Stat. § 62-301',
    asOf: '2026-11-26',
    note: 'Applies to automatic dialing-announcing devices. On Sundays and legal holidays from 13:00.',
  },
};
