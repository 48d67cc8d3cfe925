import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allotSlots, type PacingLane, slotIntervalMs, slotSlackMs, slotToleranceMs } from './pacing.ts';

const start = new Date('2026-05-04T10:00:00.000Z');
const after = (ms: number) => new Date(start.getTime() + ms);

/** The most calls in any half-open second. The fullest second begins with a call. */
function mostInOneSecond(gatesMs: readonly number[]): number {
  const sorted = gatesMs.toSorted((a, b) => a - b);
  let most = 0;
  let first = 0;
  sorted.forEach((gate, index) => {
    while (gate - (sorted[first] ?? gate) >= 1000) first++;
    most = Math.max(most, index - first + 1);
  });
  return most;
}

/** A lane as stored in its row, as a date or to the microsecond. */
function kept(lane: PacingLane, next: { at: Date; micros: number }, keepsMicros: boolean): PacingLane {
  return { ...lane, nextSlotAt: next.at, nextSlotMicros: keepsMicros ? next.micros : null };
}

const step = fc.record({
  idleMs: fc.oneof(fc.nat(5), fc.nat(300), fc.nat(3_000)),
  horizonMs: fc.nat(1_500),
  want: fc.integer({ min: 1, max: 60 }),
  campaign: fc.nat(2),
});
/** Prefers extremes: the worst second begins with a late gate and ends with a punctual one. */
const lateness = fc.array(
  fc.oneof(fc.constantFrom(0, slotToleranceMs), fc.integer({ min: 0, max: slotToleranceMs })),
  { minLength: 1, maxLength: 100 },
);
/** Includes small rates, at which a second has only a few slots. */
const anyRate = fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 400 }));
/** Lanes begin slightly apart, so that slots lie up to the slack after one of them. */
const soon = fc.nat(30).map(after);

describe('slotIntervalMs', () => {
  test('leaves a margin for the slack and a late gate', () => {
    expect(slotIntervalMs(10, true)).toBe((1000 + slotSlackMs + slotToleranceMs) / 10);
    expect(slotIntervalMs(0.5, true)).toBe(2000 + slotSlackMs + slotToleranceMs);
    expect(slotIntervalMs(10, false)).toBe((1000 + 1 + slotToleranceMs) / 10);
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('refuses a rate of %s', (rate) => {
    expect(() => slotIntervalMs(rate, true)).toThrow(RangeError);
  });
});

describe('allotSlots', () => {
  test('gives all slots at once without a pace', () => {
    expect(allotSlots({ now: start, horizonMs: 0, want: 3, lanes: [] })).toEqual({
      slots: [start, start, start],
      nextSlotAt: [],
      nextSlotMicros: [],
      waitUntil: null,
    });
  });

  test('gives an idle lane its first slot at once and spreads the others', () => {
    const { slots, nextSlotAt, waitUntil } = allotSlots({
      now: start,
      horizonMs: 1_000,
      want: 3,
      lanes: [{ callsPerSecond: 10, nextSlotAt: null }],
    });
    expect(slots).toEqual([start, after(105), after(209)]);
    expect(nextSlotAt).toEqual([after(314)]);
    expect(waitUntil).toBeNull();
  });

  test('does not accumulate unused slots', () => {
    const lanes = [{ callsPerSecond: 1, nextSlotAt: after(-60_000) }];
    expect(allotSlots({ now: start, horizonMs: 500, want: 5, lanes }).slots).toEqual([start]);
  });

  test('names the time to retry if the horizon is full, half a horizon before the next slot', () => {
    const { slots, waitUntil } = allotSlots({
      now: start,
      horizonMs: 1_000,
      want: 100,
      lanes: [{ callsPerSecond: 10, nextSlotAt: null }],
    });
    expect(slots).toHaveLength(10);
    expect(waitUntil).toEqual(after(1_045 - 500));
  });

  test('does not advance a fast shared lane for a slow one', () => {
    const lanes: PacingLane[] = [
      { callsPerSecond: 100, nextSlotAt: null, isShared: true },
      { callsPerSecond: 1, nextSlotAt: null, isShared: false },
    ];
    const first = allotSlots({ now: start, horizonMs: 5_000, want: 10, lanes });
    expect(first.slots).toEqual([start]);
    expect(first.nextSlotAt).toEqual([after(11), after(1_026)]);
    expect(first.waitUntil).toEqual(after(1_026 - slotSlackMs));
  });

  test('skips slots of an unshared lane that waits for a slower shared one', () => {
    const lanes: PacingLane[] = [
      { callsPerSecond: 2, nextSlotAt: after(400), isShared: true },
      { callsPerSecond: 50, nextSlotAt: null, isShared: false },
    ];
    expect(allotSlots({ now: start, horizonMs: 1_000, want: 2, lanes }).slots).toEqual([
      after(400),
      after(923),
    ]);
  });

  test('changes no lane if it gives no slot', () => {
    const lanes = [{ callsPerSecond: 2, nextSlotAt: after(900) }];
    const { slots, nextSlotAt, waitUntil } = allotSlots({ now: start, horizonMs: 100, want: 1, lanes });
    expect(slots).toEqual([]);
    expect(nextSlotAt).toEqual([after(900)]);
    expect(waitUntil).toEqual(after(850));
  });

  test('never exceeds the rate in any second, even with gates late within the tolerance', () => {
    fc.assert(
      fc.property(
        fc.record({ provider: anyRate, shared: fc.constantFrom(true, undefined) }),
        fc.array(fc.option(fc.record({ callsPerSecond: anyRate, nextSlotAt: soon }), { nil: null }), {
          minLength: 3,
          maxLength: 3,
        }),
        fc.array(step, { minLength: 1, maxLength: 60 }),
        lateness,
        fc.boolean(),
        (rates, campaignLanes, steps, lateMs, keepsMicros) => {
          let provider: PacingLane = {
            callsPerSecond: rates.provider,
            nextSlotAt: null,
            ...(rates.shared === undefined ? {} : { isShared: rates.shared }),
          };
          const campaigns = campaignLanes.map((lane): { lane: PacingLane | null; gates: number[] } => ({
            lane,
            gates: [],
          }));
          const all: number[] = [];
          let nowMs = start.getTime();
          for (const { idleMs, horizonMs, want, campaign } of steps) {
            nowMs += idleMs;
            const own = campaigns[campaign];
            if (own === undefined) throw new Error('no such campaign');
            const lanes = own.lane === null ? [provider] : [provider, own.lane];
            const given = allotSlots({ now: new Date(nowMs), horizonMs, want, lanes });
            const nexts = given.nextSlotAt.map((at, index) => ({
              at,
              micros: given.nextSlotMicros[index] ?? 0,
            }));
            if (nexts[0] !== undefined) provider = kept(provider, nexts[0], keepsMicros);
            if (nexts[1] !== undefined && own.lane !== null) own.lane = kept(own.lane, nexts[1], keepsMicros);
            for (const slot of given.slots) {
              expect(slot.getTime()).toBeGreaterThanOrEqual(nowMs);
              expect(slot.getTime()).toBeLessThanOrEqual(nowMs + horizonMs);
              const gate = slot.getTime() + (lateMs[all.length % lateMs.length] ?? 0);
              all.push(gate);
              own.gates.push(gate);
            }
            expect(given.waitUntil === null).toBe(given.slots.length === want);
            expect(given.waitUntil?.getTime() ?? Number.POSITIVE_INFINITY).toBeGreaterThan(nowMs);
          }
          expect(mostInOneSecond(all)).toBeLessThanOrEqual(rates.provider);
          for (const { lane, gates } of campaigns) {
            const limit = lane?.callsPerSecond ?? Number.POSITIVE_INFINITY;
            expect(mostInOneSecond(gates)).toBeLessThanOrEqual(limit);
          }
        },
      ),
      { numRuns: 1_500 },
    );
  });

  test('spaces calls of a rate below one a second by that rate', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.02, max: 0.99, noNaN: true }),
        lateness,
        fc.array(fc.nat(5_000), { minLength: 2, maxLength: 40 }),
        (callsPerSecond, lateMs, idles) => {
          let lane: PacingLane = { callsPerSecond, nextSlotAt: null };
          let nowMs = start.getTime();
          const gates: number[] = [];
          for (const idleMs of idles) {
            nowMs += idleMs;
            const given = allotSlots({ now: new Date(nowMs), horizonMs: 60_000, want: 1, lanes: [lane] });
            for (const slot of given.slots) {
              gates.push(slot.getTime() + (lateMs[gates.length % lateMs.length] ?? 0));
            }
            lane = { ...lane, nextSlotAt: given.nextSlotAt[0] ?? null };
          }
          gates.slice(1).forEach((gate, index) => {
            expect(gate - (gates[index] ?? 0)).toBeGreaterThanOrEqual(1000 / callsPerSecond);
          });
        },
      ),
    );
  });

  test.each([1, 3, 7, 10, 60, 100, 333, 1_000])(
    'uses 95 %% of a rate of %i a second and more',
    (callsPerSecond) => {
      for (const keepsMicros of [true, false]) {
        let lane: PacingLane = { callsPerSecond, nextSlotAt: null };
        let now = start;
        let count = 0;
        const endMs = start.getTime() + 60_000;
        while (now.getTime() < endMs) {
          const given = allotSlots({ now, horizonMs: 1_000, want: 1_000_000, lanes: [lane] });
          count += given.slots.filter((slot) => slot.getTime() < endMs).length;
          lane = kept(
            lane,
            { at: given.nextSlotAt[0] ?? now, micros: given.nextSlotMicros[0] ?? 0 },
            keepsMicros,
          );
          now = given.waitUntil ?? after(60_000);
        }
        expect(count).toBeGreaterThanOrEqual(Math.floor(callsPerSecond * 60 * 0.95));
      }
    },
  );

  test.each([
    { provider: 100, campaign: 10 },
    { provider: 100, campaign: 60 },
    { provider: 100, campaign: 1 },
    { provider: 20, campaign: 19 },
    { provider: 50, campaign: 100 },
  ])('wastes nothing of a provider of $provider a second on a campaign of $campaign', (rates) => {
    let provider: PacingLane = { callsPerSecond: rates.provider, nextSlotAt: null, isShared: true };
    let slow: PacingLane = { callsPerSecond: rates.campaign, nextSlotAt: null, isShared: false };
    const endMs = start.getTime() + 30_000;
    const nextTry = { slow: start.getTime(), greedy: start.getTime() };
    const count = { slow: 0, greedy: 0 };
    for (let nowMs = start.getTime(); nowMs < endMs; nowMs = Math.min(nextTry.slow, nextTry.greedy)) {
      const who = nextTry.slow <= nowMs ? 'slow' : 'greedy';
      const lanes = who === 'slow' ? [provider, slow] : [provider];
      // The greedy campaign plans ahead no further than the slack, so that the other one can take slots in between.
      const given = allotSlots({
        now: new Date(nowMs),
        horizonMs: who === 'slow' ? 1_000 : slotSlackMs,
        want: who === 'slow' ? 5 : 100,
        lanes,
      });
      count[who] += given.slots.length;
      const [first, second] = given.nextSlotMicros;
      provider = { ...provider, nextSlotMicros: first ?? null };
      if (second !== undefined) slow = { ...slow, nextSlotMicros: second };
      nextTry[who] = given.waitUntil?.getTime() ?? nowMs + 1;
    }
    expect(count.slow).toBeGreaterThan(0);
    expect(count.slow).toBeLessThanOrEqual(rates.campaign * 30 + 1);
    expect(count.slow + count.greedy).toBeGreaterThanOrEqual(Math.floor(rates.provider * 30 * 0.95));
  });
});
