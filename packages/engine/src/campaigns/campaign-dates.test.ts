import { describe, expect, test } from 'vitest';
import { parseCampaignDates } from './campaign-dates.ts';

// vitest types its matchers as `any`.
const someText: unknown = expect.any(String);

const now = new Date('2026-03-01T12:00:00.000Z');
const office = { start_time: '09:00', end_time: '17:00' };
const fresh = { start_at: now, end_at: null, end_date_at: null };

describe('parseCampaignDates', () => {
  test('a date-time without an offset and a bare date are in the zone of the campaign', () => {
    expect(
      parseCampaignDates(
        { start_date: '2026-03-02T09:00', end_date: '2026-03-02' },
        'America/New_York',
        fresh,
        office,
      ),
    ).toEqual({
      kind: 'ok',
      dates: {
        start_at: new Date('2026-03-02T14:00:00.000Z'),
        end_at: new Date('2026-03-03T04:59:59.999Z'),
        end_date_at: null,
      },
    });
  });

  test('omitted fields do not change, and a null end_date means open-ended', () => {
    const held = { start_at: now, end_at: new Date('2026-03-09T00:00:00.000Z'), end_date_at: null };
    expect(parseCampaignDates({}, 'UTC', held, office)).toEqual({ kind: 'ok', dates: held });
    expect(parseCampaignDates({ end_date: null, start_date: null }, 'UTC', held, office)).toEqual({
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
    expect(parseCampaignDates(fields, 'UTC', fresh, office)).toEqual({
      kind: 'invalid',
      faults: [{ loc: ['body', field], msg: someText, type }],
    });
  });

  test('the window that opens on a bare end_date may finish, and the date that callers see does not change', () => {
    const night = parseCampaignDates({ end_date: '2026-03-05' }, 'UTC', fresh, {
      start_time: '22:00',
      end_time: '02:00',
    });
    expect(night).toMatchObject({ dates: { end_date_at: new Date('2026-03-05T23:59:59.999Z') } });
    // A later update that omits the date keeps both instants.
    const kept = night.kind === 'ok' ? night.dates : fresh;
    expect(parseCampaignDates({}, 'UTC', kept, office)).toEqual({ kind: 'ok', dates: kept });
    // So does one that sends back what a read answered; the bare date is read again.
    const end_date = '2026-03-06T00:59:59.999+01:00';
    expect(parseCampaignDates({ end_date }, 'UTC', kept, office)).toEqual({ kind: 'ok', dates: kept });
    expect(parseCampaignDates({ end_date: '2026-03-05' }, 'UTC', kept, office)).toMatchObject({
      dates: { end_at: kept.end_date_at, end_date_at: null },
    });
    const ends = (start_time: string, end_time: string) => {
      const parsed = parseCampaignDates({ end_date: '2026-03-05' }, 'Europe/Berlin', fresh, {
        start_time,
        end_time,
      });
      return parsed.kind === 'ok' && parsed.dates.end_at?.toISOString();
    };
    expect(ends('22:00', '02:00')).toBe('2026-03-06T01:00:00.000Z');
    expect(ends('22:00', '00:00')).toBe('2026-03-05T22:59:59.999Z');
    expect(ends('09:00', '17:00')).toBe('2026-03-05T22:59:59.999Z');
    expect(ends('09:00:00', '09:00')).toBe('2026-03-05T22:59:59.999Z');
    expect(ends('00:00', '24:00')).toBe('2026-03-05T22:59:59.999Z');
  });

  test.each(['1969-12-31', '9999-12-31T00:00:00Z', '0001-01-01'])(
    '%s is not a valid year of an end',
    (end_date) => {
      const parsed = parseCampaignDates({ end_date }, 'UTC', { ...fresh, start_at: new Date(0) }, office);
      expect(parsed).toEqual({
        kind: 'invalid',
        faults: [
          {
            loc: ['body', 'end_date'],
            msg: 'end_date should be in a year from 1970 to 9998',
            type: 'value_error',
          },
        ],
      });
    },
  );

  test('a new start after the existing end is a fault of the start', () => {
    const held = { start_at: now, end_at: new Date('2026-03-09T00:00:00.000Z'), end_date_at: null };
    const parsed = parseCampaignDates({ start_date: '2026-03-10' }, 'UTC', held, office);
    expect(parsed.kind === 'invalid' && parsed.faults.map((fault) => fault.loc)).toEqual([
      ['body', 'start_date'],
    ]);
  });
});
