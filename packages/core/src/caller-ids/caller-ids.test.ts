import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callerIdCountry, defaultCallerIdRules } from './caller-id.ts';
import {
  callsPerDayAt,
  chooseCallerIds,
  freeAt,
  callsLeft,
  type PooledCallerId,
} from './choose-caller-ids.ts';
import { judgeCallerId } from './judge-caller-id.ts';

const now = new Date('2027-03-01T12:00:00Z');
const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000);
const own = (over: Partial<PooledCallerId> = {}): PooledCallerId => ({
  id: 'a',
  country: 'US',
  prefixes: [],
  attestation: null,
  callsPerDay: 100,
  callsPerHour: null,
  warmUpDays: 0,
  warmUpFrom: hoursAgo(0),
  day: { calls: 0, firstAt: null },
  hour: { calls: 0, firstAt: null },
  ...over,
});
const person = (phoneNumber: string, lastCallerId: string | null = null) => ({ phoneNumber, lastCallerId });
const choose = (
  pool: PooledCallerId[],
  people: Array<ReturnType<typeof person>>,
  localPresence = false,
): Array<string | null> => chooseCallerIds(pool, { localPresence }, people, now);

describe('a caller id', () => {
  test('is always from the country of the person', () => {
    const pool = [own({ id: 'us' }), own({ id: 'gb', country: 'GB' })];
    expect(choose(pool, [person('+442071838750'), person('+12125550123'), person('+4930123456')])).toEqual([
      'gb',
      'us',
      null,
    ]);
  });

  test('never makes more calls than its daily and hourly limits allow', () => {
    const pool = [
      own({ id: 'day', day: { calls: 99, firstAt: hoursAgo(20) } }),
      own({ id: 'hour', callsPerHour: 2, hour: { calls: 1, firstAt: hoursAgo(0.5) } }),
    ];
    const people = Array.from({ length: 3 }, () => person('+12125550123'));
    expect(new Set(choose(pool, people))).toEqual(new Set(['day', 'hour', null]));
  });

  test('is reused for the same person while it has calls left', () => {
    const busy = own({ id: 'b', day: { calls: 50, firstAt: hoursAgo(1) } });
    expect(choose([own(), busy], [person('+12125550123', 'b')])).toEqual(['b']);
    const full = own({ id: 'b', day: { calls: 100, firstAt: hoursAgo(1) } });
    expect(choose([own(), full], [person('+12125550123', 'b')])).toEqual(['a']);
  });

  test('is local to the number only if the operator allows it', () => {
    const pool = [own({ id: 'any', attestation: 'A' }), own({ id: 'local', prefixes: ['+1212'] })];
    const people = [person('+12125550123')];
    expect(choose(pool, people)).toEqual(['any']);
    expect(choose(pool, people, true)).toEqual(['local']);
  });

  test('is the best attested one, then the one with the largest share of calls left', () => {
    const used = { calls: 60, firstAt: hoursAgo(1) };
    expect(
      choose(
        [own({ id: 'b', attestation: 'B' }), own({ id: 'x', attestation: 'A', day: used })],
        [person('+12125550123')],
      ),
    ).toEqual(['x']);
    expect(choose([own({ id: 'used', day: used }), own({ id: 'fresh' })], [person('+12125550123')])).toEqual([
      'fresh',
    ]);
  });

  test('is free when its oldest call leaves the day or the hour, whichever is later', () => {
    const full = own({
      callsPerDay: 5,
      callsPerHour: 3,
      day: { calls: 5, firstAt: hoursAgo(23.5) },
      hour: { calls: 3, firstAt: hoursAgo(0.25) },
    });
    expect(callsLeft(full, now)).toBe(0);
    expect(freeAt(full, now)).toEqual(hoursAgo(-0.75));
  });

  test('warms up day by day', () => {
    const calls = [0, 1, 2, 3, 4].map((days) =>
      callsPerDayAt(own({ warmUpDays: 3, warmUpFrom: hoursAgo(24 * days) }), now),
    );
    expect(calls).toEqual([25, 50, 75, 100, 100]);
  });
});

test('for any pool and list, no caller id exceeds its limits or calls another country', () => {
  const numbers = ['+12125550123', '+442071838750', '+14165550123', '+4930123456'];
  const pools = fc.array(
    fc.record({
      country: fc.constantFrom('US', 'GB', 'CA', 'DE'),
      callsPerDay: fc.integer({ min: 1, max: 5 }),
      callsPerHour: fc.option(fc.integer({ min: 1, max: 5 })),
      dayCalls: fc.integer({ min: 0, max: 6 }),
      hourCalls: fc.integer({ min: 0, max: 6 }),
      warmUpDays: fc.integer({ min: 0, max: 10 }),
    }),
    { maxLength: 5 },
  );
  fc.assert(
    fc.property(pools, fc.array(fc.constantFrom(...numbers), { maxLength: 12 }), (made, list) => {
      const pool = made.map((one, place) =>
        own({
          ...one,
          id: String(place),
          day: { calls: one.dayCalls, firstAt: hoursAgo(2) },
          hour: { calls: one.hourCalls, firstAt: hoursAgo(0.1) },
        }),
      );
      const chosen = choose(
        pool,
        list.map((number) => person(number)),
      );
      for (const of of pool) {
        const calls = list.filter((_, place) => chosen[place] === of.id);
        expect(calls.length).toBeLessThanOrEqual(callsLeft(of, now));
        expect(calls.every((number) => callerIdCountry(number) === of.country)).toBe(true);
      }
    }),
  );
});

test.each([
  [{ ended: 19, answered: 0, short: 0 }, { kind: 'keep' }],
  [
    { ended: 20, answered: 0, short: 0 },
    { kind: 'rest', reason: 'answer_rate' },
  ],
  [{ ended: 20, answered: 1, short: 1 }, { kind: 'keep' }],
  [{ ended: 30, answered: 20, short: 12 }, { kind: 'keep' }],
  [
    { ended: 30, answered: 20, short: 13 },
    { kind: 'rest', reason: 'short_calls' },
  ],
])('after an hour with %j, the decision is %j', (hour, verdict) => {
  expect(judgeCallerId(hour, defaultCallerIdRules)).toEqual(verdict);
});
