import { describe, expect, test } from 'vitest';
import { parseInstant } from './instant.ts';

const zone = 'Europe/Berlin';

describe('parseInstant', () => {
  test.each([
    ['2026-05-04T10:00:00Z', '2026-05-04T10:00:00.000Z'],
    ['2026-05-04t10:00z', '2026-05-04T10:00:00.000Z'],
    ['2026-05-04T10:00:00.123456+05:30', '2026-05-04T04:30:00.123Z'],
    ['2026-05-04 10:00:00-0700', '2026-05-04T17:00:00.000Z'],
    ['2026-05-04T10:00:00', '2026-05-04T08:00:00.000Z'],
    ['2026-01-04T10:00', '2026-01-04T09:00:00.000Z'],
  ])('reads %s', (text, at) => {
    for (const bound of ['start', 'end'] as const) {
      expect(parseInstant(text, { zone, bound })).toEqual({ kind: 'ok', at: new Date(at) });
    }
  });

  test.each([
    // The last day of a year, of 25 hours, of 23 hours.
    ['2026-12-31', zone, '2026-12-30T23:00:00.000Z', '2026-12-31T22:59:59.999Z'],
    ['2026-10-25', zone, '2026-10-24T22:00:00.000Z', '2026-10-25T22:59:59.999Z'],
    ['2026-03-29', zone, '2026-03-28T23:00:00.000Z', '2026-03-29T21:59:59.999Z'],
    // Clocks go from 00:00 to 01:00, so the day begins at 01:00.
    ['2026-04-24', 'Africa/Cairo', '2026-04-23T22:00:00.000Z', '2026-04-24T20:59:59.999Z'],
    // Clocks went from 24:00 to 23:00, so the day before has 25 hours.
    ['2026-10-29', 'Africa/Cairo', '2026-10-28T21:00:00.000Z', '2026-10-29T21:59:59.999Z'],
    // Samoa left this day out.
    ['2011-12-30', 'Pacific/Apia', '2011-12-30T10:00:00.000Z', '2011-12-30T09:59:59.999Z'],
  ])('takes %s in %s from its first instant to its last', (text, place, start, end) => {
    expect(parseInstant(text, { zone: place, bound: 'start' })).toEqual({ kind: 'ok', at: new Date(start) });
    expect(parseInstant(text, { zone: place, bound: 'end' })).toEqual({ kind: 'ok', at: new Date(end) });
  });

  test('maps a skipped time to the first instant after the gap', () => {
    for (const bound of ['start', 'end'] as const) {
      expect(parseInstant('2026-03-29T02:30:00', { zone, bound })).toEqual({
        kind: 'ok',
        at: new Date('2026-03-29T01:00:00.000Z'),
      });
    }
  });

  test('takes of a repeated time the first for a start and the last for an end', () => {
    expect(parseInstant('2026-10-25T02:30', { zone, bound: 'start' })).toEqual({
      kind: 'ok',
      at: new Date('2026-10-25T00:30:00.000Z'),
    });
    expect(parseInstant('2026-10-25T02:30', { zone, bound: 'end' })).toEqual({
      kind: 'ok',
      at: new Date('2026-10-25T01:30:00.000Z'),
    });
  });

  test.each([
    ['', 'not_a_date_time'],
    ['tomorrow', 'not_a_date_time'],
    ['2026-5-4', 'not_a_date_time'],
    ['20260504', 'not_a_date_time'],
    ['2026-05-04T10', 'not_a_date_time'],
    ['2026-05-04T10:00:00 Europe/Berlin', 'not_a_date_time'],
    ['1777888800000', 'not_a_date_time'],
    ['2026-02-29', 'no_such_date_time'],
    ['2026-13-01', 'no_such_date_time'],
    ['2026-02-30T10:00:00Z', 'no_such_date_time'],
    ['2026-05-04T25:00:00Z', 'no_such_date_time'],
    ['2026-05-04T10:60:00', 'no_such_date_time'],
  ])('refuses %j as %s', (text, reason) => {
    expect(parseInstant(text, { zone, bound: 'start' })).toEqual({ kind: 'invalid', reason });
  });

  test('refuses a zone that does not exist', () => {
    expect(parseInstant('2026-05-04', { zone: 'Mars/Olympus', bound: 'start' })).toEqual({
      kind: 'invalid',
      reason: 'unknown_time_zone',
    });
  });
});
