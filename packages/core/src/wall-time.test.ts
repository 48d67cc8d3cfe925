import { describe, expect, test } from 'vitest';
import { parseWallTime } from './wall-time.ts';

describe('parseWallTime', () => {
  test.each([
    ['00:00', 0],
    ['09:30', 34_200_000],
    ['23:59:59', 86_399_000],
  ])('reads %s', (text, sinceMidnightMs) => {
    expect(parseWallTime(text)?.sinceMidnightMs).toBe(sinceMidnightMs);
  });

  test('takes 24:00 as an end only', () => {
    expect(parseWallTime('24:00')).toBeNull();
    expect(parseWallTime('24:00', 'start')).toBeNull();
    expect(parseWallTime('24:00', 'end')).toEqual({
      hour: 24,
      minute: 0,
      second: 0,
      sinceMidnightMs: 86_400_000,
    });
    expect(parseWallTime('24:00:00', 'end')?.hour).toBe(24);
  });

  test.each([
    '',
    '9:00',
    '09:60',
    '25:00',
    '24:01',
    '24:00:01',
    '09:00:60',
    '09:00:00.5',
    ' 09:00',
    '09:00\n',
    '-1:00',
    '0９:00',
  ])('refuses %j', (text) => {
    expect(parseWallTime(text, 'end')).toBeNull();
  });
});
