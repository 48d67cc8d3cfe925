import { callingKeyOf, dialingWindow } from '@outdial/core';
import { describe, expect, test } from 'vitest';
import { wallClock } from '../oracle/wall-clock.ts';
import { always } from './people.ts';

/**
 * Single cases, read in the laws one by one, at local times. `checker.ts` covers half a year of the places in `people.ts`; these are the days of 2026 to
 * 2028, other places, and places that contradict a number.
 */

const [ET, CT, MT, AZ] = ['America/New_York', 'America/Chicago', 'America/Denver', 'America/Phoenix'];

/** The instant at which a clock reads `yyyy-MM-ddTHH:mm`. */
function instantOf(local: string, zone: string): Date {
  const wanted = Date.parse(`${local}Z`);
  const { date, msOfDay } = wallClock(zone, wanted);
  return new Date(2 * wanted - (Date.parse(`${date}T00:00:00Z`) + msOfDay));
}

type Place = { timezone?: string; region?: string };

function isOpen(phoneNumber: string, local: string, zone: string, place: Place = {}): boolean {
  const key = callingKeyOf('strict', { phoneNumber, ...place }, 'UTC');
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
    ['days that Louisiana removed from R.S. 1:55 in 2022', '+15045550123', '2027-06-03', CT],
    ['Pioneer Day outside Utah', '+13075550123', '2026-07-24', MT],
    ['the day after Victory Day in Rhode Island', '+14015550123', '2027-08-10', ET],
    ['the day before the fourth of May in Rhode Island', '+14015550123', '2027-05-03', ET],
  ])('and not on %s', (_, phoneNumber, day, zone) => {
    expect(isOpen(phoneNumber, `${day}T14:00`, zone)).toBe(true);
  });
});

describe('hours of a place that `people.ts` has not, or of another season', () => {
  const summer = '2027-07-01T07:59- 2027-07-01T08:00+ 2027-07-01T20:59+';
  /** Local times, with what is right at them. */
  const cases: ReadonlyArray<readonly [string, string, string, string]> = [
    ['Arizona, with the Navajo Nation', '+16025550123', AZ, '2027-07-01T08:00+ 2027-07-01T20:30-'],
    ['New York, as clocks change', '+12125550123', ET, '2027-11-07T20:59+ 2027-11-07T21:00-'],
    ['Hawaii in summer', '+18085550123', 'Pacific/Honolulu', '2027-07-01T07:59- 2027-07-01T21:00-'],
    ['a freephone number', '+18005550123', ET, '2026-12-01T12:00- 2026-12-01T16:30+ 2026-12-01T17:00-'],
    ['Puerto Rico', '+17875550123', 'America/Puerto_Rico', '2026-11-30T07:59- 2026-11-30T08:00+'],
    ['Guam', '+16715550123', 'Pacific/Guam', '2026-11-30T07:59- 2026-11-30T08:00+ 2026-11-30T21:00-'],
    ['Jamaica', '+18765550123', 'America/Jamaica', '2026-12-01T07:30- 2026-12-01T08:30+ 2026-12-01T21:00-'],
    [
      'the Dominican Republic',
      '+18095550123',
      'America/Santo_Domingo',
      '2026-12-01T08:00+ 2026-12-01T21:00-',
    ],
    ['Alberta, 568', '+15685550123', 'America/Edmonton', '2026-11-30T09:00+ 2026-11-28T18:00-'],
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
    ['Norway', '+4721234567', 'Europe/Oslo', '2027-05-17T12:00- 2027-05-06T12:00-'],
    ['Colombia', '+573001234567', 'America/Bogota', '2027-07-05T12:00- 2028-01-10T12:00-'],
    ['South Africa', '+27821234567', 'Africa/Johannesburg', '2027-04-27T12:00- 2027-12-27T12:00-'],
    ['Peru', '+51912345678', 'America/Lima', '2027-06-07T12:00- 2027-06-08T12:00+'],
    ['France', '+33123456789', 'Europe/Paris', '2027-07-14T11:00-'],
    [
      'Guadeloupe',
      '+590590123456',
      'America/Guadeloupe',
      '2026-11-30T09:30- 2026-11-30T10:00+ 2026-11-28T11:00-',
    ],
    ['Algeria, whose clock is not that of Paris', '+213211234567', 'Africa/Algiers', summer],
    ['Libya, whose clock is not that of Bucharest', '+218211234567', 'Africa/Tripoli', summer],
    ['Nicaragua, whose clock is not that of Chicago', '+50522123456', 'America/Managua', summer],
    ['Hermosillo', '+526621234567', 'America/Hermosillo', '2027-07-01T19:59+ 2027-07-01T20:00-'],
    ['Mongolia, with Hovd', '+97699112233', 'Asia/Ulaanbaatar', '2026-11-30T08:30- 2026-11-30T09:00+'],
    ['Kinshasa, with Lubumbashi', '+243812345678', 'Africa/Kinshasa', '2026-11-30T08:00+ 2026-11-30T20:00-'],
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
  ];

  test.each(cases)('of %s', (_, phoneNumber, zone, times) => {
    const wrong = times.split(' ').filter((time) => {
      return isOpen(phoneNumber, time.slice(0, -1), zone) !== time.endsWith('+');
    });
    expect(wrong).toEqual([]);
  });
});

describe('a place that a caller sent closes hours of the number', () => {
  test.each<[string, Place, string, boolean]>([
    ['California, at 08:30 there', { region: 'US-CA' }, '2026-12-02T11:30', false],
    ['California, at 09:30 there', { region: 'US-CA' }, '2026-12-02T12:30', true],
    ['the clock of Hawaii by its old name', { timezone: 'HST' }, '2026-12-02T10:00', false],
    ['the clock of Athens by its old name', { timezone: 'EET' }, '2026-12-02T16:00', false],
    ['the clock of the Navajo Nation', { timezone: 'Navajo' }, '2026-12-02T09:30', false],
    [
      'the clock of Indiana, which is that of New York',
      { timezone: 'US/East-Indiana' },
      '2026-12-02T08:30',
      true,
    ],
    ['the clock of China by its old name', { timezone: 'PRC' }, '2026-12-02T12:00', false],
    ['no place', { timezone: 'GMT+0' }, '2026-12-02T18:00', true],
    ['the clock of Los Angeles', { timezone: 'America/Los_Angeles' }, '2026-11-30T10:30', false],
    ['the clock of Los Angeles', { timezone: 'America/Los_Angeles' }, '2026-11-30T12:00', true],
  ])('%s, for New York', (_, place, local, open) => {
    expect(isOpen('+12125550123', local, ET, place)).toBe(open);
  });
});
