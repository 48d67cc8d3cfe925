import type { CallingRule } from '../calling-rule.ts';
import { span, week } from '../hours-table.ts';
import { usFederalHolidays } from './holidays.ts';

const confederateMemorialDay = { kind: 'nth_weekday', month: 4, weekday: 1, nth: 4 } as const;
/** Of the counties of Mobile and Baldwin, whose area code has other counties too. */
const mardiGras = { kind: 'easter', offsetDays: -47 } as const;
const jeffersonDavisBirthday = { kind: 'nth_weekday', month: 6, weekday: 1, nth: 1 } as const;

export const alabama: CallingRule = {
  jurisdiction: 'US-AL',
  name: 'Alabama',
  version: 3,
  hours: {
    week: week({ weekdays: [span(8, 20)], saturday: [span(8, 20)] }),
    exceptions: [
      { days: [...usFederalHolidays, mardiGras, confederateMemorialDay, jeffersonDavisBirthday], spans: [] },
    ],
  },
  source: {
    basis: 'statute',
    citation: 'Ala. Code § 8-19A-14; holidays: Ala. Code § 1-3-8',
    asOf: '2026-11-26',
    note: 'No calls on Sundays and holidays. Mardi Gras is a holiday of two counties; a number does not show the county, so it counts for the state.',
  },
};
