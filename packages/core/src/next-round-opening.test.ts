import { describe, expect, test } from 'vitest';
import { type DialingSchedule, nextRoundOpening } from './dialing-window.ts';

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

describe('nextRoundOpening', () => {
  const tuesday = { roundDate: '2026-05-05', firstAttemptAt: at('2026-05-05T08:12:34.567Z') };
  const now = at('2026-05-05T09:00:00Z');

  test('opens with the next day’s window', () => {
    expect(nextRoundOpening(base, berlin, tuesday, now)).toEqual({
      kind: 'opens',
      at: at('2026-05-06T07:00:00Z'),
      localDate: '2026-05-06',
    });
  });

  test('skips the weekend', () => {
    const friday = { ...tuesday, roundDate: '2026-05-08' };
    expect(nextRoundOpening({ ...base, callOnWeekend: false }, berlin, friday, now)).toMatchObject({
      localDate: '2026-05-11',
    });
  });

  test('opens at once if that window is already open', () => {
    const late = at('2026-05-06T11:00:00Z');
    expect(nextRoundOpening(base, berlin, tuesday, late)).toEqual({
      kind: 'opens',
      at: late,
      localDate: '2026-05-06',
    });
  });

  test('skips a window that has closed meanwhile', () => {
    expect(nextRoundOpening(base, berlin, tuesday, at('2026-05-06T15:00:00Z'))).toMatchObject({
      at: at('2026-05-07T07:00:00Z'),
    });
  });

  test('opens with the evening’s window after a night’s', () => {
    expect(nextRoundOpening(hours('22:00', '06:00'), berlin, tuesday, at('2026-05-06T01:00:00Z'))).toEqual({
      kind: 'opens',
      at: at('2026-05-06T20:00:00Z'),
      localDate: '2026-05-06',
    });
  });

  test('opens at the wall-clock time of the first attempt if the window is all day', () => {
    expect(nextRoundOpening(hours('00:00', '24:00'), berlin, tuesday, now)).toEqual({
      kind: 'opens',
      at: at('2026-05-06T08:12:34.567Z'),
      localDate: '2026-05-06',
    });
  });

  test('uses the same wall-clock time after a clock change', () => {
    // 28 March 10:00 at UTC+1; 29 March 10:00 at UTC+2.
    const args = { roundDate: '2026-03-28', firstAttemptAt: at('2026-03-28T09:00:00Z') };
    expect(nextRoundOpening(hours('00:00', '24:00'), berlin, args, args.firstAttemptAt)).toMatchObject({
      at: at('2026-03-29T08:00:00Z'),
    });
  });

  test('takes the first instant after a skipped time, and the first of a repeated one', () => {
    const spring = { roundDate: '2026-03-28', firstAttemptAt: at('2026-03-28T01:30:00Z') };
    expect(nextRoundOpening(hours('00:00', '24:00'), berlin, spring, spring.firstAttemptAt)).toMatchObject({
      at: at('2026-03-29T01:00:00Z'),
    });
    const autumn = { roundDate: '2026-10-24', firstAttemptAt: at('2026-10-24T00:30:00Z') };
    expect(nextRoundOpening(hours('00:00', '24:00'), berlin, autumn, autumn.firstAttemptAt)).toMatchObject({
      at: at('2026-10-25T00:30:00Z'),
    });
  });

  test('skips the weekend of the recipient’s calendar if the window is all day', () => {
    // Friday's round; on Monday at the time of the first attempt, 10:00 in Tokyo, it is Sunday in Los Angeles.
    const schedule = hours('00:00', '24:00', { callOnWeekend: false, timezone: 'America/Los_Angeles' });
    const args = { roundDate: '2026-05-08', firstAttemptAt: at('2026-05-05T01:00:00Z') };
    expect(nextRoundOpening(schedule, 'Asia/Tokyo', args, at('2026-05-08T05:00:00Z'))).toEqual({
      kind: 'opens',
      at: at('2026-05-11T01:00:00Z'),
      localDate: '2026-05-11',
    });
  });

  test('takes the next open instant of the day if the campaign starts after that time', () => {
    const schedule = hours('00:00', '24:00', { startAt: at('2026-05-06T12:00:00Z') });
    expect(nextRoundOpening(schedule, berlin, tuesday, now)).toEqual({
      kind: 'opens',
      at: at('2026-05-06T12:00:00Z'),
      localDate: '2026-05-06',
    });
  });

  test('is over if the campaign ends first', () => {
    const schedule = { ...base, endAt: at('2026-05-06T07:00:00Z') };
    expect(nextRoundOpening(schedule, berlin, tuesday, now)).toEqual({ kind: 'over' });
    const allDay = hours('00:00', '24:00', { endAt: at('2026-05-06T08:12:34.567Z') });
    expect(nextRoundOpening(allDay, berlin, tuesday, now)).toEqual({ kind: 'over' });
  });
});
