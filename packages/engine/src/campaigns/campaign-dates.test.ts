import { describe, expect, test } from 'vitest';
import { parseCampaignDates } from './campaign-dates.ts';

// vitest types its matchers as `any`.
const someText: unknown = expect.any(String);

const now = new Date('2026-03-01T12:00:00.000Z');
const fresh = { startAt: now, endAt: null };

describe('parseCampaignDates', () => {
  test('a date-time without an offset and a bare date are in the zone of the campaign', () => {
    expect(
      parseCampaignDates(
        { start_date: '2026-03-02T09:00', end_date: '2026-03-02' },
        'America/New_York',
        fresh,
      ),
    ).toEqual({
      kind: 'ok',
      dates: { startAt: new Date('2026-03-02T14:00:00.000Z'), endAt: new Date('2026-03-03T04:59:59.999Z') },
    });
  });

  test('what is not there stays, and end_date null is open-ended', () => {
    const held = { startAt: now, endAt: new Date('2026-03-09T00:00:00.000Z') };
    expect(parseCampaignDates({}, 'UTC', held)).toEqual({ kind: 'ok', dates: held });
    expect(parseCampaignDates({ end_date: null, start_date: null }, 'UTC', held)).toEqual({
      kind: 'ok',
      dates: fresh,
    });
  });

  test.each([
    [{ start_date: 'tomorrow' }, 'start_date', 'datetime_parsing'],
    [{ start_date: '2026-02-30' }, 'start_date', 'datetime_parsing'],
    [{ end_date: '2026-13-01T00:00:00Z' }, 'end_date', 'datetime_parsing'],
    [{ end_date: '2026-02-28' }, 'end_date', 'value_error'],
    [{ start_date: '2026-04-01', end_date: '2026-03-31' }, 'end_date', 'value_error'],
    [{ end_date: '2026-03-01T12:00:00Z' }, 'end_date', 'value_error'],
  ])('%j is a fault of %s', (fields, field, type) => {
    expect(parseCampaignDates(fields, 'UTC', fresh)).toEqual({
      kind: 'invalid',
      faults: [{ loc: ['body', field], msg: someText, type }],
    });
  });

  test('a new start past the end that stays is a fault of the start', () => {
    const held = { startAt: now, endAt: new Date('2026-03-09T00:00:00.000Z') };
    const parsed = parseCampaignDates({ start_date: '2026-03-10' }, 'UTC', held);
    expect(parsed.kind === 'invalid' && parsed.faults.map((fault) => fault.loc)).toEqual([
      ['body', 'start_date'],
    ]);
  });
});
