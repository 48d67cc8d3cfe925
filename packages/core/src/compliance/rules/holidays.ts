import { dates, daysFromEaster, movingDates, type DayRule } from '../calendar-days.ts';

/** 5 U.S.C. § 6103, with the days on which they are observed. */
export const usFederalHolidays: readonly DayRule[] = [
  ...movingDates('us', '01-01 06-19 07-04 11-11 12-25'),
  { kind: 'nth_weekday', month: 1, weekday: 1, nth: 3 },
  { kind: 'nth_weekday', month: 2, weekday: 1, nth: 3 },
  { kind: 'nth_weekday', month: 5, weekday: 1, nth: -1 },
  { kind: 'nth_weekday', month: 9, weekday: 1, nth: 1 },
  { kind: 'nth_weekday', month: 10, weekday: 1, nth: 2 },
  { kind: 'nth_weekday', month: 11, weekday: 4, nth: 4 },
];

/** La. R.S. 1:55 as of 2022, in addition to federal holidays, with Mardi Gras, Good Friday and Acadian Day, the day after Thanksgiving. */
export const louisianaHolidays: readonly DayRule[] = [
  ...dates('01-08 08-30 11-01'),
  ...daysFromEaster(-47, -2),
  { kind: 'weekday_before', month: 11, day: 29, weekday: 5 },
];

/** Christmas and the day after, with the two working days that replace them if they fall on a weekend. */
export const christmasAndNextDay = movingDates('two_days_on', '12-25 12-26');

/** Organisation of Working Time Act 1997, schedule 2; St Brigid's Day since 2023, on 1 February if that is a Friday. */
export const irishHolidays: readonly DayRule[] = [
  ...dates('01-01 03-17 12-25 12-26'),
  ...daysFromEaster(-2, 1),
  { kind: 'nth_weekday', month: 2, weekday: 1, nth: 1 },
  { kind: 'date', month: 2, day: 1, onlyOn: 5 },
  { kind: 'nth_weekday', month: 5, weekday: 1, nth: 1 },
  { kind: 'nth_weekday', month: 6, weekday: 1, nth: 1 },
  { kind: 'nth_weekday', month: 8, weekday: 1, nth: 1 },
  { kind: 'nth_weekday', month: 10, weekday: 1, nth: -1 },
];

/** Holidays of the federation and of any of its states, because the number does not show in which one a person lives. */
export const germanHolidays: readonly DayRule[] = [
  ...dates('01-01 01-06 03-08 05-01 08-15 09-20 10-03 10-31 11-01 12-25 12-26'),
  ...daysFromEaster(-2, 0, 1, 39, 49, 50, 60),
  { kind: 'weekday_before', month: 11, day: 22, weekday: 3 },
];

/** Code du travail, art. L3133-1; Good Friday and 26 December are holidays in Alsace and Moselle. */
export const frenchHolidays: readonly DayRule[] = [
  ...dates('01-01 05-01 05-08 07-14 08-15 11-01 11-11 12-25 12-26'),
  ...daysFromEaster(-2, 1, 39, 50),
];

/** Estatuto de los Trabajadores, art. 37.2, and Real Decreto 2001/1983, art. 45. */
export const spanishHolidays: readonly DayRule[] = [
  ...dates('01-01 01-06 05-01 08-15 10-12 11-01 12-06 12-08 12-25'),
  ...daysFromEaster(-3, -2),
];

/** Legge 260/1949, with St Francis since 2026. */
export const italianHolidays: readonly DayRule[] = [
  ...dates('01-01 01-06 04-25 05-01 06-02 08-15 10-04 11-01 12-08 12-25 12-26'),
  ...daysFromEaster(0, 1),
];

/** Algemene termijnenwet, art. 3; King's Day is on the 26th if the 27th is a Sunday. */
export const dutchHolidays: readonly DayRule[] = [
  ...dates('01-01 04-27 05-05 12-25 12-26'),
  ...daysFromEaster(-2, 0, 1, 39, 49, 50),
  { kind: 'date', month: 4, day: 26, onlyOn: 6 },
];

/** Evenings on which the code forbids calls: remembrance, St Nicholas and Christmas. */
export const dutchEvenings = dates('05-04 12-05 12-24');

/** National public holidays as the industry standard defines them. */
export const australianHolidays: readonly DayRule[] = [
  ...movingDates('next', '01-01 01-26'),
  ...daysFromEaster(-2, 1),
  ...movingDates('sunday', '04-25'),
  ...movingDates('two_days_on', '12-25 12-26'),
];

/** Lei 662/1949, Lei 6.802/1980 and Lei 14.759/2023; Carnival, Good Friday and Corpus Christi by custom. */
export const brazilianHolidays: readonly DayRule[] = [
  ...dates('01-01 04-21 05-01 09-07 10-12 11-02 11-15 11-20 12-25'),
  ...daysFromEaster(-48, -47, -2, 60),
];

/** Ley Federal del Trabajo, art. 74. */
export const mexicanHolidays: readonly DayRule[] = [
  ...dates('01-01 05-01 09-16 12-25'),
  { kind: 'nth_weekday', month: 2, weekday: 1, nth: 1 },
  { kind: 'nth_weekday', month: 3, weekday: 1, nth: 3 },
  { kind: 'nth_weekday', month: 11, weekday: 1, nth: 3 },
];

/** Lov om helligdager og helligdagsfred, § 2, with 1 and 17 May. */
export const norwegianHolidays: readonly DayRule[] = [
  ...dates('01-01 05-01 05-17 12-25 12-26'),
  ...daysFromEaster(-3, -2, 1, 39, 50),
];

/** Ley 51 de 1983: some days are fixed, the others are observed on the Monday on or after the date. */
export const colombianHolidays: readonly DayRule[] = [
  ...dates('01-01 05-01 07-20 08-07 12-08 12-25'),
  ...daysFromEaster(-3, -2, 43, 64, 71),
  { kind: 'weekday_before', month: 1, day: 12, weekday: 1 },
  { kind: 'weekday_before', month: 3, day: 25, weekday: 1 },
  { kind: 'weekday_before', month: 7, day: 5, weekday: 1 },
  { kind: 'weekday_before', month: 8, day: 21, weekday: 1 },
  { kind: 'weekday_before', month: 10, day: 18, weekday: 1 },
  { kind: 'weekday_before', month: 11, day: 7, weekday: 1 },
  { kind: 'weekday_before', month: 11, day: 17, weekday: 1 },
];

/** Public Holidays Act 36 of 1994, schedule 1; section 2: a Sunday is followed by a holiday on Monday. */
export const southAfricanHolidays: readonly DayRule[] = [
  ...movingDates('sunday', '01-01 03-21 04-27 05-01 06-16 08-09 09-24 12-16 12-25 12-26'),
  ...daysFromEaster(-2, 1),
];

/** Decreto Legislativo 713, art. 6, with the days added since. */
export const peruvianHolidays: readonly DayRule[] = [
  ...dates('01-01 05-01 06-07 06-29 07-23 07-28 07-29 08-06 08-30 10-08 11-01 12-08 12-09 12-25'),
  ...daysFromEaster(-3, -2),
];
