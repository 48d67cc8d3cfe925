import { describe, expect, test } from 'vitest';
import { InvalidScheduleError } from './dialing-schedule.ts';
import { dialingWindow, type DialingSchedule, windowDateOf } from './dialing-window.ts';
import { UnknownTimeZoneError } from './time-zone.ts';

const berlin = 'Europe/Berlin';
const base: DialingSchedule = {
  startAt: new Date('2000-01-01T00:00:00.000Z'),
  endAt: null,
  startTime: '09:00',
  endTime: '17:00',
  callOnWeekend: true,
  timezone: berlin,
};
const at = (text: string) => new Date(text);

function hours(startTime: string, endTime: string, changes: Partial<DialingSchedule> = {}): DialingSchedule {
  return { ...base, startTime, endTime, ...changes };
}

/** `test/oracle` compares the instants with a wall clock. */
describe('dialingWindow', () => {
  const weekdays = { ...base, callOnWeekend: false };
  const monday = '2026-05-11T07:00:00Z';

  test.each([
    ['before its hours', base, berlin, '2026-05-05T06:59:59.999Z', '2026-05-05T07:00:00Z', 'outside_hours'],
    ['from Friday evening', weekdays, berlin, '2026-05-08T16:00:00Z', monday, 'outside_hours'],
    ['on Saturday', weekdays, berlin, '2026-05-09T10:00:00Z', monday, 'weekend'],
    [
      "on a Saturday of the recipient, which is Friday in the campaign's zone",
      weekdays,
      'Pacific/Auckland',
      '2026-05-08T21:30:00Z',
      '2026-05-10T21:00:00Z',
      'weekend',
    ],
    [
      'years before its start',
      { ...base, startAt: at('2031-05-05T20:00:00Z') },
      berlin,
      '2026-05-01T10:00:00Z',
      '2031-05-06T07:00:00Z',
      'not_started',
    ],
  ])('is closed %s, and says why and until when', (_, schedule, zone, now, opensAt, reason) => {
    expect(dialingWindow(schedule, zone, at(now))).toEqual({ kind: 'closed', opensAt: at(opensAt), reason });
  });

  test('takes seconds', () => {
    expect(dialingWindow(hours('09:00:30', '09:00:31'), berlin, at('2026-05-05T07:00:30.500Z'))).toEqual({
      kind: 'open',
      opensAt: at('2026-05-05T07:00:30Z'),
      closesAt: at('2026-05-05T07:00:31Z'),
      localDate: '2026-05-05',
    });
  });
});

test('dialingWindow finds the season in which a short window meets itself by both clocks of a person', () => {
  const key = 'standard:MX@America/Matamoros+America/Mexico_City';
  expect(dialingWindow(hours('09:00', '10:00'), key, at('2026-07-01T15:00:00Z'))).toEqual({
    kind: 'closed',
    // Matamoros changes its clock on 1 November, a Sunday.
    opensAt: at('2026-11-02T15:00:00Z'),
    reason: 'outside_hours',
  });
});

describe('dialingWindow with invalid input', () => {
  test('throws, so that a gate fails closed', () => {
    const now = at('2026-05-05T10:00:00Z');
    expect(() => dialingWindow(base, 'Mars/Olympus', now)).toThrow(UnknownTimeZoneError);
    expect(() => dialingWindow(hours('9:00', '17:00'), berlin, now)).toThrow(InvalidScheduleError);
    expect(() => dialingWindow(hours('24:00', '09:00'), berlin, now)).toThrow(InvalidScheduleError);
  });

  test('is never open at an invalid date', () => {
    expect(dialingWindow(base, berlin, new Date(Number.NaN)).kind).toBe('over');
  });
});

describe('windowDateOf', () => {
  test.each([
    ['09:00', '17:00', '2026-05-05T10:00:00Z', '2026-05-05'],
    ['09:00', '17:00', '2026-05-05T20:00:00Z', '2026-05-05'],
    ['22:00', '06:00', '2026-05-05T21:00:00Z', '2026-05-05'],
    ['22:00', '06:00', '2026-05-06T03:59:00Z', '2026-05-05'],
    ['22:00', '06:00', '2026-05-06T04:00:00Z', '2026-05-06'],
    ['00:00', '24:00', '2026-05-05T22:00:00Z', '2026-05-06'],
  ])('of %s to %s at %s is %s', (startTime, endTime, instant, date) => {
    expect(windowDateOf(hours(startTime, endTime), berlin, at(instant))).toBe(date);
  });
});

test('a remembered decision is the one that would be made, in any order of instants', () => {
  const hours = { startTime: '09:30', endTime: '20:00', callOnWeekend: false };
  const schedule = {
    ...hours,
    startAt: new Date('2026-12-18T11:00:00Z'),
    endAt: new Date('2027-01-05T15:00:00Z'),
    timezone: 'UTC',
  };
  const from = Date.parse('2026-12-17T00:00:00Z');
  // Through a weekend, holidays and the end, forwards, backwards, and in leaps.
  const forwards = Array.from({ length: 400 }, (_, n) => from + n * 73 * 60_000);
  const leaps = forwards.map((_, n) => forwards[(n * 97) % forwards.length] ?? from);
  for (const key of ['America/New_York', 'strict:US-*', 'strict:FR,US-FL', 'standard:DE', 'strict:nowhere']) {
    for (const [n, atMs] of [...forwards, ...forwards.toReversed(), ...leaps].entries()) {
      // The campaign's own zone has no effect on a key, so this schedule is a new one each time.
      const fresh = dialingWindow({ ...schedule, timezone: String(n) }, key, new Date(atMs));
      expect([key, atMs, dialingWindow(schedule, key, new Date(atMs))]).toEqual([key, atMs, fresh]);
    }
  }
});
