import { describe, expect, test } from 'vitest';
import type { DialingSchedule } from './dialing-schedule.ts';
import { nextDial } from './next-dial.ts';

/** A Tuesday. */
const now = new Date('2026-03-03T15:00:00Z');
const after = (minutes: number) => new Date(now.getTime() + minutes * 60_000);

const schedule: DialingSchedule = {
  startAt: after(-60),
  endAt: null,
  startTime: '09:00',
  endTime: '17:00',
  callOnWeekend: false,
  timezone: 'UTC',
};

describe('nextDial', () => {
  test('is now if a recipient is due in an open window', () => {
    const next = nextDial(schedule, [{ zone: 'UTC', dueAt: after(-5) }], now);
    expect(next).toEqual({ kind: 'at', at: now, waitingFor: null });
  });

  test('waits for the delay of a retry', () => {
    const next = nextDial(schedule, [{ zone: 'UTC', dueAt: after(15) }], now);
    expect(next).toEqual({ kind: 'at', at: after(15), waitingFor: 'retry' });
  });

  test('waits for the window of a campaign that has not begun', () => {
    const later = { ...schedule, startAt: after(30) };
    const next = nextDial(later, [{ zone: 'UTC', dueAt: after(30) }], now);
    expect(next).toEqual({ kind: 'at', at: after(30), waitingFor: 'window' });
  });

  test('takes the zone that opens first', () => {
    const next = nextDial(
      schedule,
      [
        { zone: 'Asia/Tokyo', dueAt: after(-5) },
        { zone: 'America/Los_Angeles', dueAt: after(-5) },
      ],
      now,
    );
    // Nine in Los Angeles; midnight has just gone by in Tokyo.
    expect(next).toEqual({ kind: 'at', at: new Date('2026-03-03T17:00:00Z'), waitingFor: 'window' });
  });

  test('waits for calling hours if the window is open but the rules of a jurisdiction forbid calls', () => {
    const early = { ...schedule, startAt: after(-1_440), startTime: '06:00' };
    const now = new Date('2026-03-03T12:30:00Z');
    // 07:30 in New York and 06:30 in Chicago, where Florida's day begins at eight.
    expect(nextDial(early, [{ zone: 'strict:US-FL', dueAt: now }], now)).toEqual({
      kind: 'at',
      at: new Date('2026-03-03T14:00:00Z'),
      waitingFor: 'calling_hours',
    });
    expect(nextDial(early, [{ zone: 'America/New_York', dueAt: now }], now)).toMatchObject({ at: now });
  });

  test('is never if window and calling hours do not overlap, or the number has no place', () => {
    const nights = { ...schedule, startTime: '22:00', endTime: '23:00' };
    const never = { kind: 'never', waitingFor: 'calling_hours' };
    const florida = { zone: 'strict:US-FL', dueAt: now };
    const nowhere = { zone: 'strict:nowhere', dueAt: now };
    expect(nextDial(nights, [florida], now)).toEqual(never);
    expect(nextDial(schedule, [nowhere], now)).toEqual(never);
    const ending = { ...nights, endAt: after(60 * 24 * 7) };
    expect(nextDial(ending, [nowhere], now)).toEqual(never);
    expect(nextDial(ending, [nowhere, florida], now)).toEqual({ kind: 'never', waitingFor: 'window' });
  });

  test('is never if no recipient is due, or the campaign is over', () => {
    expect(nextDial(schedule, [], now)).toMatchObject({ kind: 'never' });
    const over = { ...schedule, endAt: after(-1) };
    expect(nextDial(over, [{ zone: 'UTC', dueAt: after(-5) }], now)).toMatchObject({ kind: 'never' });
  });
});
