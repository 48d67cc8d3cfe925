import { callingKeyOf, dialingWindow } from '@outdial/core';
import { describe, expect, test } from 'vitest';
import { wallClock } from '../oracle/wall-clock.ts';
import { always } from './people.ts';

/**
 * Single cases, read in the laws one by one, at local times. `checker.ts` covers half a year; these are the days of 2026 to 2028, and places that
 * contradict a number.
 */

const [ET, CT, MT, PT] = ['America/New_York', 'America/Chicago', 'America/Denver', 'America/Los_Angeles'];

/** The instant at which a clock reads `yyyy-MM-ddTHH:mm`. */
function instantOf(local: string, zone: string): Date {
  const wanted = Date.parse(`${local}Z`);
  const { date, msOfDay } = wallClock(zone, wanted);
  return new Date(2 * wanted - (Date.parse(`${date}T00:00:00Z`) + msOfDay));
}

type Place = { timezone?: string; region?: string; postalCode?: string };

function isOpen(
  phoneNumber: string,
  local: string,
  zone: string,
  place: Place = {},
  policy: 'strict' | 'standard' = 'strict',
): boolean {
  const key = callingKeyOf(policy, { phoneNumber, ...place }, 'UTC');
  return dialingWindow(always, key, instantOf(local, zone)).kind === 'open';
}

/** Federal holidays, with those of a weekend on Friday or Monday (5 U.S.C. 6103). */
const federal =
  '2026-01-01 2026-01-19 2026-02-16 2026-05-25 2026-06-19 2026-07-03 2026-09-07 2026-10-12 2026-11-11 2026-11-26 2026-12-25 ' +
  '2027-01-01 2027-01-18 2027-02-15 2027-05-31 2027-06-18 2027-07-05 2027-09-06 2027-10-11 2027-11-11 2027-11-25 2027-12-24 ' +
  '2028-01-17 2028-02-21 2028-05-29 2028-06-19 2028-07-04 2028-09-04 2028-10-09 2028-11-10 2028-11-23 2028-12-25';

describe('the days of a state on which nobody is called', () => {
  test.each([
    // R.I. Gen. Laws 25-1-1: days of a Saturday or Sunday on Monday; election day in even years.
    ['Rhode Island', '+14015550123', ET, '2026-05-04 2026-07-06 2026-08-10 2026-11-03 2027-05-04 2027-06-21'],
    ['Rhode Island', '+14015550123', ET, '2027-12-27 2028-01-03 2028-05-04 2028-08-14 2028-11-07 2028-11-13'],
    // 44 P.S. 11.
    ['Pennsylvania', '+12155550123', ET, '2026-04-03 2026-06-15 2026-11-03 2027-03-26 2027-06-14 2027-11-02'],
    ['Pennsylvania', '+14125550123', ET, '2028-04-14 2028-06-14 2028-11-07'],
    // Utah Code 63G-1-301, as of 6 May 2026.
    [
      'Utah',
      '+18015550123',
      MT,
      '2026-06-15 2026-07-24 2027-03-26 2027-06-21 2027-07-23 2028-04-14 2028-07-24',
    ],
    // Ala. Code 1-3-8.
    ['Alabama', '+12515550123', CT, '2026-02-17 2026-04-27 2026-06-01 2027-02-09 2027-04-26 2028-02-29'],
    // La. R.S. 1:55; the day after Thanksgiving as the governor proclaims it each year.
    ['Louisiana', '+15045550123', CT, '2026-01-08 2026-02-17 2026-04-03 2026-11-27 2027-03-26 2027-08-30'],
    ['Louisiana', '+14575550123', CT, '2027-11-01 2027-11-26 2028-02-29 2028-04-14 2028-11-24'],
    // Miss. Code 3-3-7.
    ['Mississippi', '+14715550123', CT, '2026-04-27 2027-04-26 2028-04-24'],
    ['Alabama', '+13345550123', CT, '2026-07-04 2027-06-07 2028-04-24 2028-06-05'],
    ['Louisiana, its days on Sundays', '+13185550123', CT, '2026-08-30 2026-11-01 2028-08-30'],
  ])('%s, %s', (_, phoneNumber, zone, days) => {
    const open = `${federal} ${days}`.split(' ').filter((day) => isOpen(phoneNumber, `${day}T14:00`, zone));
    expect(open).toEqual([]);
  });

  test('Nebraska from 13:00 on Sundays and holidays (291 NAC 11-003)', () => {
    for (const day of ['2026-11-29', '2026-11-27', '2027-04-30', '2028-04-28', '2028-11-24', '2027-05-31']) {
      expect(isOpen('+14025550123', `${day}T13:30`, CT)).toBe(false);
      expect(isOpen('+14025550123', `${day}T14:00`, CT)).toBe(true);
    }
  });

  test.each([
    ['an odd year’s election day in Rhode Island', '+14015550123', '2027-11-02', ET],
    ['days that Louisiana removed from R.S. 1:55 in 2022', '+15045550123', '2027-01-19', CT],
    ['days that Louisiana removed from R.S. 1:55 in 2022', '+15045550123', '2027-06-03', CT],
    ['election day in Alabama', '+12055550123', '2026-11-03', CT],
    ['Good Friday in Alabama', '+12055550123', '2027-03-26', CT],
    ['Mardi Gras in Mississippi', '+16015550123', '2027-02-09', CT],
    ['Pioneer Day outside Utah', '+13075550123', '2026-07-24', MT],
    ['the day after Victory Day in Rhode Island', '+14015550123', '2027-08-10', ET],
    ['the day before the fourth of May in Rhode Island', '+14015550123', '2027-05-03', ET],
    ['Ash Wednesday in Louisiana', '+19855550123', '2027-02-10', CT],
    ['a Sunday in Pennsylvania', '+12155550123', '2026-11-29', ET],
  ])('and not on %s', (_, phoneNumber, day, zone) => {
    expect(isOpen(phoneNumber, `${day}T14:00`, zone)).toBe(true);
  });
});

describe('hours', () => {
  /** Local times, with what is right at them. */
  const cases: ReadonlyArray<readonly [string, string, string, string]> = [
    [
      'Rhode Island',
      '+14015550123',
      ET,
      '2026-11-04T09:00+ 2026-11-04T18:00- 2026-11-07T10:00+ 2026-11-07T17:00- 2026-11-08T12:00-',
    ],
    ['Maine', '+12075550123', ET, '2026-11-30T09:00+ 2026-11-30T17:00- 2026-11-28T12:00-'],
    ['Texas on a Sunday', '+12145550123', CT, '2026-11-29T12:30- 2026-11-29T13:00+ 2026-11-29T20:30+'],
    ['Texas, 621', '+16215550123', CT, '2026-11-30T09:30- 2026-11-30T10:30+'],
    ['South Dakota', '+16055550123', CT, '2026-11-29T14:00- 2026-11-28T14:00+'],
    ['Kentucky', '+12705550123', ET, '2026-11-30T10:30- 2026-11-30T11:00+'],
    ['Florida', '+18505550123', ET, '2026-11-30T08:30- 2026-11-30T09:00+ 2026-11-30T20:00-'],
    ['Washington', '+12065550123', PT, '2026-11-30T08:00+ 2026-11-30T20:00-'],
    [
      'Arizona, with the Navajo Nation',
      '+16025550123',
      'America/Phoenix',
      '2027-07-01T08:00+ 2027-07-01T20:30- 2027-01-04T20:30+ 2027-01-04T08:30+',
    ],
    [
      'New York, as clocks change',
      '+12125550123',
      ET,
      '2027-03-14T07:59- 2027-03-14T08:00+ 2027-11-07T20:59+ 2027-11-07T21:00-',
    ],
    ['Alabama, 483', '+14835550123', CT, '2026-11-29T12:00- 2026-11-30T08:00+ 2026-11-30T20:00-'],
    ['California, 357', '+13575550123', PT, '2026-11-30T08:30- 2026-11-30T09:00+'],
    ['California, 837', '+18375550123', PT, '2026-11-30T08:30- 2026-11-30T09:00+'],
    ['Michigan, 679', '+16795550123', ET, '2026-11-30T09:30- 2026-11-30T10:00+'],
    ['Minnesota, 924', '+19245550123', CT, '2026-11-30T08:30- 2026-11-30T09:00+'],
    ['Illinois, 861', '+18615550123', CT, '2026-11-30T08:30- 2026-11-30T09:00+'],
    ['Tennessee, 729', '+17295550123', ET, '2026-11-30T08:30- 2026-11-30T09:00+'],
    ['Ohio, 436', '+14365550123', ET, '2026-11-30T07:59- 2026-11-30T08:00+ 2026-11-30T20:59+'],
    ['New York, 624', '+16245550123', ET, '2026-11-30T08:00+ 2026-11-30T21:00-'],
    ['Georgia, 565', '+15655550123', ET, '2026-11-30T08:00+ 2026-11-30T21:00-'],
    ['Alberta, 568', '+15685550123', 'America/Edmonton', '2026-11-30T09:00+ 2026-11-28T18:00-'],
    [
      'a freephone number, which may be anywhere',
      '+18005550123',
      ET,
      '2026-12-01T12:00- 2026-12-01T16:30+ 2026-12-01T17:00-',
    ],
    [
      'Puerto Rico',
      '+17875550123',
      'America/Puerto_Rico',
      '2026-11-30T07:59- 2026-11-30T08:00+ 2026-11-30T21:00-',
    ],
    ['Guam', '+16715550123', 'Pacific/Guam', '2026-11-30T07:59- 2026-11-30T08:00+ 2026-11-30T21:00-'],
    ['Jamaica', '+18765550123', 'America/Jamaica', '2026-12-01T07:30- 2026-12-01T08:30+ 2026-12-01T21:00-'],
    [
      'the Dominican Republic',
      '+18095550123',
      'America/Santo_Domingo',
      '2026-12-01T08:00+ 2026-12-01T21:00-',
    ],
    [
      'Norway',
      '+4721234567',
      'Europe/Oslo',
      '2026-11-28T12:00- 2027-05-17T12:00- 2027-05-06T12:00- 2026-11-30T09:00+ 2026-11-30T21:00-',
    ],
    [
      'Colombia',
      '+573001234567',
      'America/Bogota',
      '2026-11-30T07:00+ 2026-11-30T19:00- 2026-11-28T14:59+ 2026-11-28T15:00- 2026-11-16T12:00- 2027-07-05T12:00- 2028-01-10T12:00-',
    ],
    [
      'South Africa',
      '+27821234567',
      'Africa/Johannesburg',
      '2026-11-28T12:59+ 2026-11-28T13:00- 2027-03-22T12:00- 2027-04-27T12:00- 2027-12-27T12:00- 2026-11-29T12:00-',
    ],
    ['the United Arab Emirates', '+971501234567', 'Asia/Dubai', '2026-11-30T09:00+ 2026-11-30T18:00-'],
    ['Peru', '+51912345678', 'America/Lima', '2027-06-07T12:00- 2027-06-08T12:00+ 2026-11-28T12:00-'],
    ['Portugal, with the Azores', '+351912345678', 'Europe/Lisbon', '2026-11-30T09:30- 2026-11-30T10:00+'],
    [
      'Chile, with Easter Island',
      '+56961234567',
      'America/Santiago',
      '2026-11-30T09:30- 2026-11-30T10:30+ 2026-11-30T20:00-',
    ],
    ['Indonesia', '+6281234567890', 'Asia/Jayapura', '2026-11-30T09:30- 2026-11-30T10:00+ 2026-11-30T18:00-'],
    [
      'Russia, with all of its clocks',
      '+79161234567',
      'Europe/Moscow',
      '2026-11-30T08:30- 2026-11-30T09:00+ 2026-11-30T12:00-',
    ],
    [
      'Australia',
      '+61412345678',
      'Australia/Sydney',
      '2026-11-30T09:30- 2026-11-30T12:30+ 2026-11-28T16:30+ 2026-11-28T17:00-',
    ],
    [
      'France',
      '+33123456789',
      'Europe/Paris',
      '2026-11-30T13:30- 2026-11-30T14:00+ 2026-11-28T11:00- 2027-07-14T11:00-',
    ],
    [
      'Guadeloupe',
      '+590590123456',
      'America/Guadeloupe',
      '2026-11-30T09:30- 2026-11-30T10:00+ 2026-11-28T11:00-',
    ],
    ['Ireland', '+353871234567', 'Europe/Dublin', '2027-02-01T12:00- 2026-11-29T12:00- 2026-11-30T09:00+'],
    [
      'England',
      '+442071234567',
      'Europe/London',
      '2027-03-29T12:00- 2026-12-28T12:00- 2026-11-28T16:59+ 2026-11-28T17:00-',
    ],
    ['São Paulo', '+5511999998888', 'America/Sao_Paulo', '2026-11-30T09:00+ 2026-11-20T12:00-'],
    ['Tijuana', '+526641234567', 'America/Tijuana', '2026-11-30T09:00+ 2026-11-30T20:00- 2026-11-28T12:00-'],
    [
      'Algeria, whose clock is not that of Paris',
      '+213211234567',
      'Africa/Algiers',
      '2027-07-01T08:00+ 2027-07-01T07:59- 2027-07-01T20:59+',
    ],
    [
      'Libya, whose clock is not that of Bucharest',
      '+218211234567',
      'Africa/Tripoli',
      '2027-07-01T07:59- 2027-07-01T20:59+',
    ],
    [
      'Nicaragua, whose clock is not that of Chicago',
      '+50522123456',
      'America/Managua',
      '2027-07-01T07:59- 2027-07-01T20:59+',
    ],
    ['Nebraska on Arbor Day', '+15315550123', CT, '2026-04-24T12:00- 2026-04-24T13:30- 2026-04-24T15:00+'],
    ['El Paso on a Sunday', '+19155550123', MT, '2026-11-29T11:30- 2026-11-29T12:30+'],
    ['Idaho, 986', '+19865550123', MT, '2026-11-30T08:30- 2026-11-30T09:00+ 2026-11-30T20:59+'],
    ['North Dakota', '+17015550123', CT, '2026-11-30T08:30- 2026-11-30T09:00+ 2026-11-30T21:00-'],
    [
      'Oregon, 458',
      '+14585550123',
      PT,
      '2026-11-30T07:59- 2026-11-30T08:00+ 2026-11-30T18:59+ 2026-11-30T19:00-',
    ],
    ['Kansas', '+16205550123', CT, '2026-11-30T08:30- 2026-11-30T09:00+'],
    ['Florida, 448', '+14485550123', CT, '2026-11-30T08:00+ 2026-11-30T18:59+ 2026-11-30T19:00-'],
    [
      'Alaska, with the Aleutians',
      '+19075550123',
      'America/Anchorage',
      '2026-11-30T08:30- 2026-11-30T09:00+ 2026-11-30T20:59+',
    ],
    ['Indiana, 930', '+19305550123', ET, '2026-11-30T09:30- 2026-11-30T10:00+ 2026-11-30T20:00-'],
    [
      'Hawaii in summer',
      '+18085550123',
      'Pacific/Honolulu',
      '2027-07-01T07:59- 2027-07-01T08:00+ 2027-07-01T21:00-',
    ],
    ['Vermont, as clocks change', '+18025550123', ET, '2027-03-14T08:00+ 2027-11-07T07:59-'],
    ['South Carolina, 839', '+18395550123', ET, '2026-11-30T18:59+ 2026-11-30T19:00-'],
    ['Maryland, 227', '+12275550123', ET, '2026-11-30T19:59+ 2026-11-30T20:00-'],
    [
      'Nevada, with West Wendover',
      '+17755550123',
      PT,
      '2026-11-30T09:00+ 2026-11-30T18:59+ 2026-11-30T19:30-',
    ],
    ['Connecticut, 959', '+19595550123', ET, '2026-11-30T08:30- 2026-11-30T19:59+ 2026-11-30T20:00-'],
    [
      'British Columbia, whose clocks no longer change',
      '+17785550123',
      'America/Vancouver',
      '2026-11-30T08:30- 2026-11-30T09:00+ 2026-11-30T20:00+ 2026-11-30T20:30-',
    ],
    [
      'Newfoundland, with Labrador',
      '+17095550123',
      'America/St_Johns',
      '2026-11-30T09:00- 2026-11-30T09:30+ 2026-11-30T21:30-',
    ],
    [
      'Quebec, with the Magdalen Islands',
      '+14185550123',
      'America/Toronto',
      '2026-11-30T09:00+ 2026-11-30T20:30- 2026-11-28T16:59+ 2026-11-28T17:00-',
    ],
    [
      'Saskatchewan, with Lloydminster',
      '+13065550123',
      'America/Regina',
      '2027-07-01T08:30- 2027-01-04T09:30+',
    ],
    ['Manaus', '+559233123456', 'America/Manaus', '2026-11-30T08:30- 2026-11-30T09:00+ 2026-11-30T20:59+'],
    ['Cancún', '+529981234567', 'America/Cancun', '2026-11-30T09:00+ 2026-11-30T20:00-'],
    ['Hermosillo', '+526621234567', 'America/Hermosillo', '2027-07-01T19:59+ 2027-07-01T20:00-'],
    ['Las Palmas', '+34928123456', 'Atlantic/Canary', '2026-11-30T09:00+ 2026-11-30T20:59+'],
    [
      'a Spanish mobile, with the Canaries',
      '+34612345678',
      'Europe/Madrid',
      '2026-11-30T09:30- 2026-11-30T10:00+ 2026-11-30T20:59+ 2026-11-30T21:00-',
    ],
    ['Mongolia, with Hovd', '+97699112233', 'Asia/Ulaanbaatar', '2026-11-30T08:30- 2026-11-30T09:00+'],
    [
      'Kinshasa, with Lubumbashi',
      '+243812345678',
      'Africa/Kinshasa',
      '2026-11-30T08:00+ 2026-11-30T19:59+ 2026-11-30T20:00-',
    ],
    [
      'Kazakhstan, of one clock since 2024',
      '+77012345678',
      'Asia/Almaty',
      '2026-11-30T07:59- 2026-11-30T08:00+',
    ],
    ['Kiribati, of three clocks', '+68673012345', 'Pacific/Tarawa', '2026-11-30T08:00+ 2026-11-30T19:30-'],
    [
      'Papua New Guinea, with Bougainville',
      '+67570123456',
      'Pacific/Port_Moresby',
      '2026-11-30T08:00+ 2026-11-30T19:59+ 2026-11-30T20:00-',
    ],
    [
      'Tahiti, with the Gambier Islands',
      '+68987123456',
      'Pacific/Tahiti',
      '2026-11-30T19:59+ 2026-11-30T20:30-',
    ],
    ['Nepal', '+9779841234567', 'Asia/Kathmandu', '2026-11-30T07:59- 2026-11-30T08:00+'],
    [
      'Toronto, with the clock of Kenora',
      '+14165550123',
      'America/Toronto',
      '2026-11-30T09:30- 2026-11-30T10:00+ 2026-11-28T18:00-',
    ],
  ];

  test.each(cases)('of %s', (_, phoneNumber, zone, times) => {
    const wrong = times.split(' ').filter((time) => {
      return isOpen(phoneNumber, time.slice(0, -1), zone) !== time.endsWith('+');
    });
    expect(wrong).toEqual([]);
  });
});

describe('a place that a caller sent opens no hour of the number', () => {
  const zones =
    'UTC utc Etc/GMT+5 Etc/GMT-14 etc/utc Etc/Zulu EST US/Pacific us/pacific GMT Zulu UCT Universal EST5EDT Asia/Tokyo asia/tokyo Europe/London';

  test.each(zones.split(' '))('%s for a number of Miami at 03:30', (timezone) => {
    for (const policy of ['strict', 'standard'] as const) {
      expect(isOpen('+13055550123', '2026-12-02T03:30', ET, { timezone }, policy)).toBe(false);
    }
  });

  test.each(['UTC', 'utc', 'Etc/UTC', 'etc/gmt', 'Etc/GMT+5', 'GMT', 'Zulu', 'UCT', 'Universal'])(
    '%s says nothing about a person',
    (timezone) => {
      expect(isOpen('+13055550123', '2026-12-02T18:00', ET, { timezone })).toBe(true);
    },
  );

  test.each<[string, Place, string, string, boolean]>([
    ['California, for New York at 21:30 there', { region: 'US-CA' }, '2026-12-02T21:30', ET, false],
    ['California, for New York at 11:30 there', { region: 'US-CA' }, '2026-12-02T11:30', ET, false],
    ['California, for New York at 12:30 there', { region: 'US-CA' }, '2026-12-02T12:30', ET, true],
    ['a ZIP code of San Juan', { postalCode: '00901' }, '2026-11-30T20:30', ET, false],
    ['a ZIP code of San Juan', { postalCode: '00901' }, '2026-11-30T08:30', ET, true],
    ['a ZIP code of St. Thomas', { postalCode: '00802' }, '2026-11-30T20:30', ET, false],
    ['a ZIP code of Guam', { postalCode: '96910' }, '2026-11-30T12:00', ET, false],
    ['Puerto Rico', { region: 'PR' }, '2026-11-30T20:30', ET, false],
    ['Germany, on a Sunday', { region: 'DE' }, '2026-11-29T10:00', ET, false],
    ['Ottawa, on a Saturday evening', { postalCode: 'K1A 0B1' }, '2026-11-28T18:30', ET, false],
    ['the clock of Hawaii by its old name', { timezone: 'HST' }, '2026-12-02T10:00', ET, false],
    ['the clock of Athens by its old name', { timezone: 'EET' }, '2026-12-02T16:00', ET, false],
    ['the clock of the Navajo Nation', { timezone: 'Navajo' }, '2026-12-02T09:30', ET, false],
    [
      'the clock of Indiana, which is that of New York',
      { timezone: 'US/East-Indiana' },
      '2026-12-02T08:30',
      ET,
      true,
    ],
    ['the clock of China by its old name', { timezone: 'PRC' }, '2026-12-02T12:00', ET, false],
    ['no place', { timezone: 'GMT+0' }, '2026-12-02T18:00', ET, true],
    ['Hawaii at 07:30 there', { region: 'US-HI' }, '2026-12-02T12:30', ET, false],
    ['Hawaii at 08:30 there', { region: 'US-HI' }, '2026-12-02T13:30', ET, true],
    ['Newfoundland', { region: 'CA-NL' }, '2026-12-02T20:30', ET, false],
    ['Utah on a Sunday', { region: 'US-UT' }, '2026-11-29T14:00', ET, false],
    ['a ZIP code of Ketchikan', { postalCode: '99950' }, '2026-12-02T11:00', ET, false],
    ['a ZIP code of El Paso', { postalCode: '79901' }, '2026-12-02T10:30', ET, false],
    ['a ZIP code of Providence on a Sunday', { postalCode: '02903' }, '2026-11-29T13:30', ET, false],
    ['Los Angeles’ clock', { timezone: PT }, '2026-11-30T10:30', ET, false],
    ['Los Angeles’ clock, which may be that of California', { timezone: PT }, '2026-11-30T12:00', ET, true],
  ])('%s', (_, place, local, zone, open) => {
    expect(isOpen('+12125550123', local, zone, place)).toBe(open);
  });
});
