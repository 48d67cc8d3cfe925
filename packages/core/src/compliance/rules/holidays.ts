import type { DayRule } from '../calendar-days.ts';

/** 5 U.S.C. § 6103, with the days on which they are observed. */
export const usFederalHolidays: readonly DayRule[] = [
  { kind: 'date', month: 1, day: 1, moves: 'us' },
  { kind: 'nth_weekday', month: 1, weekday: 1, nth: 3 },
  { kind: 'nth_weekday', month: 2, weekday: 1, nth: 3 },
  { kind: 'nth_weekday', month: 5, weekday: 1, nth: -1 },
  { kind: 'date', month: 6, day: 19, moves: 'us' },
  { kind: 'date', month: 7, day: 4, moves: 'us' },
  { kind: 'nth_weekday', month: 9, weekday: 1, nth: 1 },
  { kind: 'nth_weekday', month: 10, weekday: 1, nth: 2 },
  { kind: 'date', month: 11, day: 11, moves: 'us' },
  { kind: 'nth_weekday', month: 11, weekday: 4, nth: 4 },
  { kind: 'date', month: 12, day: 25, moves: 'us' },
];

/** La. R.S. 1:55 as of 2022, in addition to federal holidays, with Mardi Gras, Good Friday and Acadian Day, the day after Thanksgiving. */
export const louisianaHolidays: readonly DayRule[] = [
  { kind: 'date', month: 1, day: 8 },
  { kind: 'easter', offsetDays: -47 },
  { kind: 'easter', offsetDays: -2 },
  { kind: 'date', month: 8, day: 30 },
  { kind: 'date', month: 11, day: 1 },
  { kind: 'weekday_before', month: 11, day: 29, weekday: 5 },
];

/** Christmas and the day after, with the two working days that replace them if they fall on a weekend. */
export const christmasAndNextDay: readonly DayRule[] = [
  { kind: 'date', month: 12, day: 25, moves: 'two_days_on' },
  { kind: 'date', month: 12, day: 26, moves: 'two_days_on' },
];

/** Organisation of Working Time Act 1997, schedule 2; St Brigid's Day since 2023, on 1 February if that is a Friday. */
export const irishHolidays: readonly DayRule[] = [
  { kind: 'date', month: 1, day: 1 },
  { kind: 'nth_weekday', month: 2, weekday: 1, nth: 1 },
  { kind: 'date', month: 2, day: 1, onlyOn: 5 },
  { kind: 'date', month: 3, day: 17 },
  { kind: 'easter', offsetDays: -2 },
  { kind: 'easter', offsetDays: 1 },
  { kind: 'nth_weekday', month: 5, weekday: 1, nth: 1 },
  { kind: 'nth_weekday', month: 6, weekday: 1, nth: 1 },
  { kind: 'nth_weekday', month: 8, weekday: 1, nth: 1 },
  { kind: 'nth_weekday', month: 10, weekday: 1, nth: -1 },
  { kind: 'date', month: 12, day: 25 },
  { kind: 'date', month: 12, day: 26 },
];

/** Holidays of the federation and of any of its states, because the number does not show in which one a person lives. */
export const germanHolidays: readonly DayRule[] = [
  { kind: 'date', month: 1, day: 1 },
  { kind: 'date', month: 1, day: 6 },
  { kind: 'date', month: 3, day: 8 },
  { kind: 'easter', offsetDays: -2 },
  { kind: 'easter', offsetDays: 0 },
  { kind: 'easter', offsetDays: 1 },
  { kind: 'date', month: 5, day: 1 },
  { kind: 'easter', offsetDays: 39 },
  { kind: 'easter', offsetDays: 49 },
  { kind: 'easter', offsetDays: 50 },
  { kind: 'easter', offsetDays: 60 },
  { kind: 'date', month: 8, day: 15 },
  { kind: 'date', month: 9, day: 20 },
  { kind: 'date', month: 10, day: 3 },
  { kind: 'date', month: 10, day: 31 },
  { kind: 'date', month: 11, day: 1 },
  { kind: 'weekday_before', month: 11, day: 22, weekday: 3 },
  { kind: 'date', month: 12, day: 25 },
  { kind: 'date', month: 12, day: 26 },
];

/** Code du travail, art. L3133-1; Good Friday and 26 December are holidays in Alsace and Moselle. */
export const frenchHolidays: readonly DayRule[] = [
  { kind: 'date', month: 1, day: 1 },
  { kind: 'easter', offsetDays: -2 },
  { kind: 'easter', offsetDays: 1 },
  { kind: 'date', month: 5, day: 1 },
  { kind: 'date', month: 5, day: 8 },
  { kind: 'easter', offsetDays: 39 },
  { kind: 'easter', offsetDays: 50 },
  { kind: 'date', month: 7, day: 14 },
  { kind: 'date', month: 8, day: 15 },
  { kind: 'date', month: 11, day: 1 },
  { kind: 'date', month: 11, day: 11 },
  { kind: 'date', month: 12, day: 25 },
  { kind: 'date', month: 12, day: 26 },
];

/** Estatuto de los Trabajadores, art. 37.2, and Real Decreto 2001/1983, art. 45. */
export const spanishHolidays: readonly DayRule[] = [
  { kind: 'date', month: 1, day: 1 },
  { kind: 'date', month: 1, day: 6 },
  { kind: 'easter', offsetDays: -3 },
  { kind: 'easter', offsetDays: -2 },
  { kind: 'date', month: 5, day: 1 },
  { kind: 'date', month: 8, day: 15 },
  { kind: 'date', month: 10, day: 12 },
  { kind: 'date', month: 11, day: 1 },
  { kind: 'date', month: 12, day: 6 },
  { kind: 'date', month: 12, day: 8 },
  { kind: 'date', month: 12, day: 25 },
];

/** Legge 260/1949, with St Francis since 2026. */
export const italianHolidays: readonly DayRule[] = [
  { kind: 'date', month: 1, day: 1 },
  { kind: 'date', month: 1, day: 6 },
  { kind: 'easter', offsetDays: 0 },
  { kind: 'easter', offsetDays: 1 },
  { kind: 'date', month: 4, day: 25 },
  { kind: 'date', month: 5, day: 1 },
  { kind: 'date', month: 6, day: 2 },
  { kind: 'date', month: 8, day: 15 },
  { kind: 'date', month: 10, day: 4 },
  { kind: 'date', month: 11, day: 1 },
  { kind: 'date', month: 12, day: 8 },
  { kind: 'date', month: 12, day: 25 },
  { kind: 'date', month: 12, day: 26 },
];

/** Algemene termijnenwet, art. 3; King's Day is on the 26th if the 27th is a Sunday. */
export const dutchHolidays: readonly DayRule[] = [
  { kind: 'date', month: 1, day: 1 },
  { kind: 'easter', offsetDays: -2 },
  { kind: 'easter', offsetDays: 0 },
  { kind: 'easter', offsetDays: 1 },
  { kind: 'date', month: 4, day: 26, onlyOn: 6 },
  { kind: 'date', month: 4, day: 27 },
  { kind: 'date', month: 5, day: 5 },
  { kind: 'easter', offsetDays: 39 },
  { kind: 'easter', offsetDays: 49 },
  { kind: 'easter', offsetDays: 50 },
  { kind: 'date', month: 12, day: 25 },
  { kind: 'date', month: 12, day: 26 },
];

/** Evenings on which the code forbids calls: remembrance, St Nicholas and Christmas. */
export const dutchEvenings: readonly DayRule[] = [
  { kind: 'date', month: 5, day: 4 },
  { kind: 'date', month: 12, day: 5 },
  { kind: 'date', month: 12, day: 24 },
];

/** National public holidays as the industry standard defines them. */
export const australianHolidays: readonly DayRule[] = [
  { kind: 'date', month: 1, day: 1, moves: 'next' },
  { kind: 'date', month: 1, day: 26, moves: 'next' },
  { kind: 'easter', offsetDays: -2 },
  { kind: 'easter', offsetDays: 1 },
  { kind: 'date', month: 4, day: 25, moves: 'sunday' },
  { kind: 'date', month: 12, day: 25, moves: 'two_days_on' },
  { kind: 'date', month: 12, day: 26, moves: 'two_days_on' },
];

/** Lei 662/1949, Lei 6.802/1980 and Lei 14.759/2023; Carnival, Good Friday and Corpus Christi by custom. */
export const brazilianHolidays: readonly DayRule[] = [
  { kind: 'date', month: 1, day: 1 },
  { kind: 'easter', offsetDays: -48 },
  { kind: 'easter', offsetDays: -47 },
  { kind: 'easter', offsetDays: -2 },
  { kind: 'date', month: 4, day: 21 },
  { kind: 'date', month: 5, day: 1 },
  { kind: 'easter', offsetDays: 60 },
  { kind: 'date', month: 9, day: 7 },
  { kind: 'date', month: 10, day: 12 },
  { kind: 'date', month: 11, day: 2 },
  { kind: 'date', month: 11, day: 15 },
  { kind: 'date', month: 11, day: 20 },
  { kind: 'date', month: 12, day: 25 },
];

/** Ley Federal del Trabajo, art. 74. */
export const mexicanHolidays: readonly DayRule[] = [
  { kind: 'date', month: 1, day: 1 },
  { kind: 'nth_weekday', month: 2, weekday: 1, nth: 1 },
  { kind: 'nth_weekday', month: 3, weekday: 1, nth: 3 },
  { kind: 'date', month: 5, day: 1 },
  { kind: 'date', month: 9, day: 16 },
  { kind: 'nth_weekday', month: 11, weekday: 1, nth: 3 },
  { kind: 'date', month: 12, day: 25 },
];

/** Lov om helligdager og helligdagsfred, § 2, with 1 and 17 May. */
export const norwegianHolidays: readonly DayRule[] = [
  { kind: 'date', month: 1, day: 1 },
  { kind: 'easter', offsetDays: -3 },
  { kind: 'easter', offsetDays: -2 },
  { kind: 'easter', offsetDays: 1 },
  { kind: 'date', month: 5, day: 1 },
  { kind: 'date', month: 5, day: 17 },
  { kind: 'easter', offsetDays: 39 },
  { kind: 'easter', offsetDays: 50 },
  { kind: 'date', month: 12, day: 25 },
  { kind: 'date', month: 12, day: 26 },
];

/** Ley 51 de 1983: some days are fixed, the others are observed on the Monday on or after the date. */
export const colombianHolidays: readonly DayRule[] = [
  { kind: 'date', month: 1, day: 1 },
  { kind: 'date', month: 5, day: 1 },
  { kind: 'date', month: 7, day: 20 },
  { kind: 'date', month: 8, day: 7 },
  { kind: 'date', month: 12, day: 8 },
  { kind: 'date', month: 12, day: 25 },
  { kind: 'weekday_before', month: 1, day: 12, weekday: 1 },
  { kind: 'weekday_before', month: 3, day: 25, weekday: 1 },
  { kind: 'weekday_before', month: 7, day: 5, weekday: 1 },
  { kind: 'weekday_before', month: 8, day: 21, weekday: 1 },
  { kind: 'weekday_before', month: 10, day: 18, weekday: 1 },
  { kind: 'weekday_before', month: 11, day: 7, weekday: 1 },
  { kind: 'weekday_before', month: 11, day: 17, weekday: 1 },
  { kind: 'easter', offsetDays: -3 },
  { kind: 'easter', offsetDays: -2 },
  { kind: 'easter', offsetDays: 43 },
  { kind: 'easter', offsetDays: 64 },
  { kind: 'easter', offsetDays: 71 },
];

/** Public Holidays Act 36 of 1994, schedule 1; section 2: a Sunday is followed by a holiday on Monday. */
export const southAfricanHolidays: readonly DayRule[] = [
  { kind: 'date', month: 1, day: 1, moves: 'sunday' },
  { kind: 'date', month: 3, day: 21, moves: 'sunday' },
  { kind: 'easter', offsetDays: -2 },
  { kind: 'easter', offsetDays: 1 },
  { kind: 'date', month: 4, day: 27, moves: 'sunday' },
  { kind: 'date', month: 5, day: 1, moves: 'sunday' },
  { kind: 'date', month: 6, day: 16, moves: 'sunday' },
  { kind: 'date', month: 8, day: 9, moves: 'sunday' },
  { kind: 'date', month: 9, day: 24, moves: 'sunday' },
  { kind: 'date', month: 12, day: 16, moves: 'sunday' },
  { kind: 'date', month: 12, day: 25, moves: 'sunday' },
  { kind: 'date', month: 12, day: 26, moves: 'sunday' },
];

/** Decreto Legislativo 713, art. 6, with the days added since. */
export const peruvianHolidays: readonly DayRule[] = [
  { kind: 'date', month: 1, day: 1 },
  { kind: 'easter', offsetDays: -3 },
  { kind: 'easter', offsetDays: -2 },
  { kind: 'date', month: 5, day: 1 },
  { kind: 'date', month: 6, day: 7 },
  { kind: 'date', month: 6, day: 29 },
  { kind: 'date', month: 7, day: 23 },
  { kind: 'date', month: 7, day: 28 },
  { kind: 'date', month: 7, day: 29 },
  { kind: 'date', month: 8, day: 6 },
  { kind: 'date', month: 8, day: 30 },
  { kind: 'date', month: 10, day: 8 },
  { kind: 'date', month: 11, day: 1 },
  { kind: 'date', month: 12, day: 8 },
  { kind: 'date', month: 12, day: 9 },
  { kind: 'date', month: 12, day: 25 },
];
