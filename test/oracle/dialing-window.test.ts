import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dialingWindow, type DialingSchedule, windowDateOf } from '../../packages/core/src/dialing-window.ts';
import { timeZone } from '../../packages/core/src/time-zone.ts';
import { isOpen, windowDate } from './dialing-oracle.ts';
import { wallClock } from './wall-clock.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;
const zones = Intl.supportedValuesOf('timeZone');

/** The date of the window that is open at an instant, or null. */
function oracle(schedule: DialingSchedule, zone: string, atMs: number): string | null {
  return isOpen(schedule, zone, atMs) ? windowDate(schedule, zone, atMs) : null;
}

/** The first minute after an instant at which the oracle's answer differs, or null within the limit. */
function nextChange(schedule: DialingSchedule, zone: string, atMs: number, limitMs: number): number | null {
  const now = oracle(schedule, zone, atMs);
  for (
    let minute = (Math.floor(atMs / minuteMs) + 1) * minuteMs;
    minute <= atMs + limitMs;
    minute += minuteMs
  ) {
    if (oracle(schedule, zone, minute) !== now) return minute;
  }
  return null;
}

const wallTime = fc
  .tuple(
    fc.integer({ min: 0, max: 23 }),
    fc.oneof(fc.constantFrom(0, 15, 30), fc.integer({ min: 0, max: 59 })),
  )
  .map(([hour, minute]) => `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`);
/** Prefers nights, because clocks change at night. */
const hours = fc.oneof(
  fc.tuple(wallTime, wallTime),
  fc.tuple(
    fc.constantFrom('00:30', '01:15', '02:00', '02:30'),
    fc.constantFrom('01:30', '02:15', '02:45', '03:00'),
  ),
  fc.constantFrom<[string, string]>(
    ['00:00', '24:00'],
    ['09:00', '09:00'],
    ['18:00', '24:00'],
    ['22:00', '00:00'],
  ),
);

const from = Date.UTC(2001, 0, 1);
const to = Date.UTC(2040, 0, 1);

/** `npm run long` checks more cases. */
const isFull = process.env['OUTDIAL_TEST_LEVEL'] === 'long';

const walked = { fromMs: Date.UTC(2025, 0, 1), toMs: Date.UTC(isFull ? 2035 : 2027, 0, 1) };
/** Groups of zones with the same clock changes in that time: one zone of each group is checked minute by minute, and the others are compared with it. */
const alike = [
  ...Map.groupBy(zones, (zone) =>
    timeZone(zone)
      .segments(walked.fromMs, walked.toMs)
      .map(({ fromMs, offsetMs }) => `${fromMs}:${offsetMs}`)
      .join(),
  ).values(),
];

/** An instant, most often within a day of one of the zone's clock changes. */
function instantNear(zone: string, anyMs: number, changeIndex: number, distanceMs: number): number {
  const yearMs = 366 * dayMs;
  const changes = timeZone(zone)
    .segments(anyMs, anyMs + 2 * yearMs)
    .slice(1)
    .map((segment) => segment.fromMs);
  const change = changes[changeIndex % Math.max(1, changes.length)];
  return change === undefined ? anyMs : change + distanceMs;
}

const situation = fc
  .record({
    zone: fc.constantFrom(...zones),
    ownZone: fc.option(fc.constantFrom(...zones), { nil: null }),
    anyMs: fc.integer({ min: from, max: to }),
    changeIndex: fc.nat(3),
    distanceMs: fc.integer({ min: -dayMs, max: dayMs }),
    isAnywhere: fc.nat(4).map((one) => one === 0),
    hours,
    callOnWeekend: fc.boolean(),
    startsInMinutes: fc.option(fc.integer({ min: -3_000, max: 3_000 }), { nil: null }),
    endsInMinutes: fc.option(fc.integer({ min: -60, max: 10_000 }), { nil: null }),
  })
  .map((one) => {
    const nowMs = one.isAnywhere
      ? one.anyMs
      : instantNear(one.zone, one.anyMs, one.changeIndex, one.distanceMs);
    const wholeMinuteMs = Math.floor(nowMs / minuteMs) * minuteMs;
    const schedule: DialingSchedule = {
      startAt: new Date(
        one.startsInMinutes === null ? Date.UTC(2000, 0, 1) : wholeMinuteMs + one.startsInMinutes * minuteMs,
      ),
      endAt: one.endsInMinutes === null ? null : new Date(wholeMinuteMs + one.endsInMinutes * minuteMs),
      startTime: one.hours[0],
      endTime: one.hours[1],
      callOnWeekend: one.callOnWeekend,
      timezone: one.ownZone ?? one.zone,
    };
    return { schedule, zone: one.zone, nowMs };
  });

/** Compares dialingWindow with the oracle: the open window, and the exact instants of the changes. */
function faultsAt(schedule: DialingSchedule, zone: string, nowMs: number): string[] {
  const decision = dialingWindow(schedule, zone, new Date(nowMs));
  const expected = oracle(schedule, zone, nowMs);
  const claims: Array<[string, boolean]> = [];
  if (decision.kind === 'open') {
    const opensMs = decision.opensAt.getTime();
    const closesMs = decision.closesAt.getTime();
    claims.push(
      ['open on the right date', decision.localDate === expected],
      ['the same date for rounds', windowDateOf(schedule, zone, new Date(nowMs)) === expected],
      ['now lies between', opensMs <= nowMs && nowMs < closesMs],
      ['open at its opening', oracle(schedule, zone, opensMs) === expected],
      ['not open before', oracle(schedule, zone, opensMs - 1) !== expected],
      ['open to its closing', oracle(schedule, zone, closesMs - 1) === expected],
      ['not open at its closing', oracle(schedule, zone, closesMs) !== expected],
    );
  } else {
    claims.push(['not open', expected === null]);
  }
  if (decision.kind === 'closed') {
    const opensMs = decision.opensAt.getTime();
    claims.push(
      ['opens later', opensMs > nowMs],
      ['open when it says', oracle(schedule, zone, opensMs) !== null],
      ['closed before that', oracle(schedule, zone, opensMs - 1) === null],
    );
  }
  return claims.filter(([, holds]) => !holds).map(([claim]) => claim);
}

/** The instant of the next change, according to dialingWindow. */
function changeAfter(schedule: DialingSchedule, zone: string, nowMs: number): number | null {
  const decision = dialingWindow(schedule, zone, new Date(nowMs));
  if (decision.kind === 'over') return null;
  return (decision.kind === 'open' ? decision.closesAt : decision.opensAt).getTime();
}

describe('dialingWindow against the wall clock', () => {
  test('agrees at any instant, in any zone, with exact boundaries', () => {
    fc.assert(
      fc.property(situation, ({ schedule, zone, nowMs }) => {
        expect(faultsAt(schedule, zone, nowMs)).toEqual([]);
      }),
      { numRuns: isFull ? 4_000 : 500 },
    );
  });

  test('returns the very next change, minute by minute', () => {
    fc.assert(
      fc.property(situation, ({ schedule, zone, nowMs }) => {
        // The oracle stops at its limit.
        const limitMs = 30 * 3_600_000;
        const expected = nextChange(schedule, zone, nowMs, limitMs);
        const named = changeAfter(schedule, zone, nowMs);
        expect(named !== null && named <= nowMs + limitMs ? named : null).toBe(expected);
      }),
      { numRuns: isFull ? 150 : 50 },
    );
  });

  test.each([
    'Australia/Lord_Howe',
    'Pacific/Apia',
    'Pacific/Kwajalein',
    'Africa/Casablanca',
    'Africa/Cairo',
    'Antarctica/Troll',
    'Pacific/Chatham',
    'America/St_Johns',
    'Asia/Kathmandu',
    'America/Santiago',
    'Europe/Berlin',
    'UTC',
  ])('walks through a year of %s from change to change and is right in between', (zone) => {
    const year = zone === 'Pacific/Apia' ? 2011 : zone === 'Pacific/Kwajalein' ? 1993 : 2026;
    for (const [startTime, endTime] of [
      ['01:15', '02:45'],
      ['22:30', '02:20'],
      ['00:00', '24:00'],
    ] as const) {
      const schedule: DialingSchedule = {
        startAt: new Date(Date.UTC(1990, 0, 1)),
        endAt: null,
        startTime,
        endTime,
        callOnWeekend: false,
        timezone: zone,
      };
      let atMs = Date.UTC(year, 0, 1);
      while (atMs < Date.UTC(year + 1, 0, 1)) {
        const nextMs = changeAfter(schedule, zone, atMs) ?? Number.POSITIVE_INFINITY;
        const expected = oracle(schedule, zone, atMs);
        for (let step = 0; step < 4; step++) {
          expect(oracle(schedule, zone, Math.floor(atMs + ((nextMs - atMs - 1) * step) / 3))).toBe(expected);
        }
        expect(faultsAt(schedule, zone, atMs)).toEqual([]);
        atMs = nextMs;
      }
    }
  });

  test.each(alike)('is right at every clock change of %s and the zones alike', (zone, ...others) => {
    const schedule: DialingSchedule = {
      startAt: new Date(Date.UTC(2020, 0, 1)),
      endAt: null,
      startTime: '23:30',
      endTime: '02:30',
      callOnWeekend: true,
      timezone: zone,
    };
    const changes = timeZone(zone)
      .segments(walked.fromMs, walked.toMs)
      .slice(1)
      .map(({ fromMs }) => fromMs);
    for (const changeMs of changes) {
      for (const distanceMs of [-2 * 3_600_000, -1, 0, 1, 30 * minuteMs, 90 * minuteMs]) {
        expect(faultsAt(schedule, zone, changeMs + distanceMs)).toEqual([]);
      }
    }
    expect(faultsAt(schedule, zone, Date.UTC(2026, 5, 1))).toEqual([]);
    for (const other of others) {
      for (const atMs of [walked.fromMs, ...changes.flatMap((changeMs) => [changeMs - 1, changeMs])]) {
        expect(wallClock(other, atMs)).toEqual(wallClock(zone, atMs));
      }
    }
  });
});
