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

  test('reads the hours in the recipient’s zone', () => {
    expect(dialingWindow(base, 'America/New_York', at('2026-05-05T13:30:00Z'))).toEqual(
      open('2026-05-05T13:00:00Z', '2026-05-05T21:00:00Z', '2026-05-05'),
    );
  });

  test('takes seconds', () => {
    expect(dialingWindow(hours('09:00:30', '09:00:31'), berlin, at('2026-05-05T07:00:30.500Z'))).toEqual(
      open('2026-05-05T07:00:30Z', '2026-05-05T07:00:31Z', '2026-05-05'),
    );
  });

  test('crosses midnight if the start is after the end', () => {
    const night = open('2026-05-05T20:00:00Z', '2026-05-06T04:00:00Z', '2026-05-05');
    const schedule = hours('22:00', '06:00');
    expect(dialingWindow(schedule, berlin, at('2026-05-05T20:00:00Z'))).toEqual(night);
    expect(dialingWindow(schedule, berlin, at('2026-05-06T03:59:00Z'))).toEqual(night);
    expect(dialingWindow(schedule, berlin, at('2026-05-06T04:00:00Z')).kind).toBe('closed');
  });

  test('ends at midnight if the end is 24:00 or 00:00', () => {
    for (const end of ['24:00', '00:00']) {
      expect(dialingWindow(hours('20:00', end), berlin, at('2026-05-05T21:00:00Z'))).toEqual(
        open('2026-05-05T18:00:00Z', '2026-05-05T22:00:00Z', '2026-05-05'),
      );
    }
  });

  test.each([
    ['00:00', '24:00'],
    ['00:00', '00:00'],
    ['09:00', '09:00'],
  ])('is open all day from %s to %s, one window a day', (startTime, endTime) => {
    const schedule = hours(startTime, endTime);
    expect(dialingWindow(schedule, berlin, at('2026-05-05T21:59:59.999Z'))).toEqual(
      open('2026-05-04T22:00:00Z', '2026-05-05T22:00:00Z', '2026-05-05'),
    );
    expect(dialingWindow(schedule, berlin, at('2026-05-05T22:00:00Z'))).toEqual(
      open('2026-05-05T22:00:00Z', '2026-05-06T22:00:00Z', '2026-05-06'),
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

  test('closes at its end, and is over from that instant', () => {
    const schedule = { ...base, endAt: at('2026-05-05T10:00:00Z') };
    expect(dialingWindow(schedule, berlin, at('2026-05-05T09:59:59.999Z'))).toEqual(
      open('2026-05-05T07:00:00Z', '2026-05-05T10:00:00Z', '2026-05-05'),
    );
    expect(dialingWindow(schedule, berlin, at('2026-05-05T10:00:00Z'))).toEqual({ kind: 'over' });
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

  test('cuts a window across midnight off at Saturday’s first instant, and opens the rest of Sunday’s on Monday', () => {
    const nights = { ...weekdays, startTime: '22:00', endTime: '06:00' };
    expect(dialingWindow(nights, berlin, at('2026-05-08T21:00:00Z'))).toEqual(
      open('2026-05-08T20:00:00Z', '2026-05-08T22:00:00Z', '2026-05-08'),
    );
    expect(dialingWindow(nights, berlin, at('2026-05-08T22:00:00Z'))).toEqual({
      kind: 'closed',
      opensAt: at('2026-05-10T22:00:00Z'),
      reason: 'weekend',
    });
    expect(dialingWindow(nights, berlin, at('2026-05-10T22:00:00Z'))).toEqual(
      open('2026-05-10T22:00:00Z', '2026-05-11T04:00:00Z', '2026-05-10'),
    );
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

describe('dialingWindow, across clock changes', () => {
  // Berlin: 29 March 2026 02:00 becomes 03:00; 25 October 2026 03:00 becomes 02:00.
  test('begins after the gap if a clock change skips the start', () => {
    expect(dialingWindow(hours('02:30', '05:00'), berlin, at('2026-03-29T00:59:59Z'))).toMatchObject({
      opensAt: at('2026-03-29T01:00:00Z'),
    });
    expect(dialingWindow(hours('02:30', '05:00'), berlin, at('2026-03-29T01:00:00Z'))).toEqual(
      open('2026-03-29T01:00:00Z', '2026-03-29T03:00:00Z', '2026-03-29'),
    );
  });

  test('ends at the gap if a clock change skips the end', () => {
    expect(dialingWindow(hours('01:00', '02:30'), berlin, at('2026-03-29T00:30:00Z'))).toEqual(
      open('2026-03-29T00:00:00Z', '2026-03-29T01:00:00Z', '2026-03-29'),
    );
  });

  test('skips a day whose hours a clock change removes', () => {
    expect(dialingWindow(hours('02:15', '02:45'), berlin, at('2026-03-29T00:00:00Z'))).toMatchObject({
      opensAt: at('2026-03-30T00:15:00Z'),
    });
  });

  test('stays open through a clock change in its middle', () => {
    expect(dialingWindow(hours('01:00', '05:00'), berlin, at('2026-03-29T02:00:00Z'))).toEqual(
      open('2026-03-29T00:00:00Z', '2026-03-29T03:00:00Z', '2026-03-29'),
    );
    expect(dialingWindow(hours('01:00', '05:00'), berlin, at('2026-10-25T02:00:00Z'))).toEqual(
      open('2026-10-24T23:00:00Z', '2026-10-25T04:00:00Z', '2026-10-25'),
    );
  });

  test('opens twice in an hour that occurs twice', () => {
    const schedule = hours('02:15', '02:45');
    expect(dialingWindow(schedule, berlin, at('2026-10-25T00:20:00Z'))).toEqual(
      open('2026-10-25T00:15:00Z', '2026-10-25T00:45:00Z', '2026-10-25'),
    );
    expect(dialingWindow(schedule, berlin, at('2026-10-25T00:45:00Z'))).toMatchObject({
      opensAt: at('2026-10-25T01:15:00Z'),
    });
    expect(dialingWindow(schedule, berlin, at('2026-10-25T01:44:00Z'))).toEqual(
      open('2026-10-25T01:15:00Z', '2026-10-25T01:45:00Z', '2026-10-25'),
    );
  });

  test('closes before its start comes round again', () => {
    expect(dialingWindow(hours('02:30', '05:00'), berlin, at('2026-10-25T00:30:00Z'))).toEqual(
      open('2026-10-25T00:30:00Z', '2026-10-25T01:00:00Z', '2026-10-25'),
    );
  });

  test('handles daylight saving of half an hour (Lord Howe)', () => {
    // 4 October 2026, 02:00 becomes 02:30 (UTC+10:30 to +11).
    expect(dialingWindow(hours('02:10', '04:00'), 'Australia/Lord_Howe', at('2026-10-03T16:00:00Z'))).toEqual(
      open('2026-10-03T15:30:00Z', '2026-10-03T17:00:00Z', '2026-10-04'),
    );
  });

  test('handles daylight saving of two hours (Troll)', () => {
    // 29 March 2026, 01:00 UTC: from UTC to UTC+2.
    expect(dialingWindow(hours('02:00', '04:00'), 'Antarctica/Troll', at('2026-03-29T01:30:00Z'))).toEqual(
      open('2026-03-29T01:00:00Z', '2026-03-29T02:00:00Z', '2026-03-29'),
    );
  });

  test('begins a day at 01:00 if midnight is skipped (Cairo)', () => {
    expect(dialingWindow(hours('00:00', '24:00'), 'Africa/Cairo', at('2026-04-23T22:00:00Z'))).toEqual(
      open('2026-04-23T22:00:00Z', '2026-04-24T21:00:00Z', '2026-04-24'),
    );
  });

  test('never opens on a date that a zone left out (Apia 2011, Kwajalein 1993)', () => {
    expect(dialingWindow(base, 'Pacific/Apia', at('2011-12-30T03:00:00Z'))).toEqual({
      kind: 'closed',
      // 31 December, 09:00, at UTC+14; the 30th did not take place.
      opensAt: at('2011-12-30T19:00:00Z'),
      reason: 'outside_hours',
    });
    const early = { ...base, startAt: at('1990-01-01T00:00:00Z') };
    // 20 August ended at UTC-12, the 22nd began at UTC+12.
    expect(dialingWindow(early, 'Pacific/Kwajalein', at('1993-08-21T11:00:00Z'))).toMatchObject({
      opensAt: at('1993-08-21T21:00:00Z'),
    });
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
