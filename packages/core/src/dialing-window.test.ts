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

function open(opensAt: string, closesAt: string, localDate: string) {
  return { kind: 'open', opensAt: at(opensAt), closesAt: at(closesAt), localDate };
}

describe('dialingWindow, on an ordinary day', () => {
  // Tuesday 5 May 2026; Berlin is two hours ahead of UTC.
  const day = open('2026-05-05T07:00:00Z', '2026-05-05T15:00:00Z', '2026-05-05');

  test('is open from its start to just before its end', () => {
    expect(dialingWindow(base, berlin, at('2026-05-05T07:00:00Z'))).toEqual(day);
    expect(dialingWindow(base, berlin, at('2026-05-05T14:59:59.999Z'))).toEqual(day);
  });

  test('is closed just before and at its end, and says when it opens', () => {
    expect(dialingWindow(base, berlin, at('2026-05-05T06:59:59.999Z'))).toEqual({
      kind: 'closed',
      opensAt: at('2026-05-05T07:00:00Z'),
      reason: 'outside_hours',
    });
    expect(dialingWindow(base, berlin, at('2026-05-05T15:00:00Z'))).toEqual({
      kind: 'closed',
      opensAt: at('2026-05-06T07:00:00Z'),
      reason: 'outside_hours',
    });
  });

  test('takes seconds', () => {
    expect(dialingWindow(hours('09:00:30', '09:00:31'), berlin, at('2026-05-05T07:00:30.500Z'))).toEqual(
      open('2026-05-05T07:00:30Z', '2026-05-05T07:00:31Z', '2026-05-05'),
    );
  });
});

describe('dialingWindow, between the start and the end of the campaign', () => {
  test('opens at its start date if that is within the hours', () => {
    const schedule = { ...base, startAt: at('2026-05-05T10:00:00Z') };
    expect(dialingWindow(schedule, berlin, at('2026-05-01T10:00:00Z'))).toEqual({
      kind: 'closed',
      opensAt: at('2026-05-05T10:00:00Z'),
      reason: 'not_started',
    });
    expect(dialingWindow(schedule, berlin, at('2026-05-05T10:00:00Z'))).toEqual(
      open('2026-05-05T10:00:00Z', '2026-05-05T15:00:00Z', '2026-05-05'),
    );
  });

  test('finds a start that is years away', () => {
    const schedule = { ...base, startAt: at('2031-05-05T20:00:00Z') };
    expect(dialingWindow(schedule, berlin, at('2026-05-01T10:00:00Z'))).toMatchObject({
      opensAt: at('2031-05-06T07:00:00Z'),
    });
  });

  test('is over if no window opens before its end', () => {
    expect(
      dialingWindow({ ...base, endAt: at('2026-05-06T07:00:00Z') }, berlin, at('2026-05-05T15:00:00Z')),
    ).toEqual({
      kind: 'over',
    });
    const reversed = { ...base, startAt: at('2026-05-06T00:00:00Z'), endAt: at('2026-05-05T00:00:00Z') };
    expect(dialingWindow(reversed, berlin, at('2026-05-01T00:00:00Z'))).toEqual({ kind: 'over' });
  });
});

describe('dialingWindow, on weekends', () => {
  const weekdays = { ...base, callOnWeekend: false };
  const monday = at('2026-05-11T07:00:00Z');

  test('stays closed from Friday evening to Monday morning', () => {
    expect(dialingWindow(weekdays, berlin, at('2026-05-08T16:00:00Z'))).toEqual({
      kind: 'closed',
      opensAt: monday,
      reason: 'outside_hours',
    });
    for (const instant of ['2026-05-09T10:00:00Z', '2026-05-10T10:00:00Z', '2026-05-10T21:59:59.999Z']) {
      expect(dialingWindow(weekdays, berlin, at(instant))).toEqual({
        kind: 'closed',
        opensAt: monday,
        reason: 'weekend',
      });
    }
  });

  test('goes by the recipient’s calendar and not by the campaign’s', () => {
    // Saturday 09:30 in Auckland is Friday 23:30 in Berlin.
    expect(dialingWindow(weekdays, 'Pacific/Auckland', at('2026-05-08T21:30:00Z'))).toEqual({
      kind: 'closed',
      opensAt: at('2026-05-10T21:00:00Z'),
      reason: 'weekend',
    });
    // Sunday 12:30 in Honolulu is Monday 00:30 in Berlin.
    expect(dialingWindow(weekdays, 'Pacific/Honolulu', at('2026-05-10T22:30:00Z'))).toEqual({
      kind: 'closed',
      opensAt: at('2026-05-11T19:00:00Z'),
      reason: 'weekend',
    });
    // Friday 16:30 in Honolulu is Saturday in Berlin.
    expect(dialingWindow(weekdays, 'Pacific/Honolulu', at('2026-05-09T02:30:00Z'))).toEqual(
      open('2026-05-08T19:00:00Z', '2026-05-09T03:00:00Z', '2026-05-08'),
    );
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
