import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countGates, type Pace, paceAllowance, type PacingLane } from './pacing.ts';

const start = new Date('2026-05-04T10:00:00.000Z');
const after = (ms: number) => new Date(start.getTime() + ms);
const idle = (callsPerSecond: number): PacingLane => ({ callsPerSecond, pace: null });

/** The most gates in any half-open second. The fullest second begins with a gate. */
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

/** Takes what the lanes allow at an instant; the lanes are changed as a transaction would store them. */
function pass(lanes: PacingLane[], atMs: number, want: number): { take: number; waitUntil: Date | null } {
  const at = after(atMs);
  const allowed = paceAllowance({ now: at, want, lanes });
  if (allowed.take === 0) return allowed;
  lanes.forEach((lane, place) => {
    lanes[place] = { ...lane, pace: JSON.parse(JSON.stringify(countGates(lane, at, allowed.take))) as Pace };
  });
  return allowed;
}

const anyRate = fc.oneof(
  fc.integer({ min: 1, max: 4 }),
  fc.integer({ min: 1, max: 400 }),
  fc.double({ min: 1, max: 50, noNaN: true }),
);
const steps = fc.array(
  fc.record({
    idleMs: fc.oneof(fc.nat(5), fc.nat(60), fc.nat(3_000)),
    want: fc.integer({ min: 1, max: 500 }),
    campaign: fc.nat(2),
  }),
  { minLength: 1, maxLength: 200 },
);

describe('a pace', () => {
  test('gives all that is wanted without a lane', () => {
    expect(paceAllowance({ now: start, want: 3, lanes: [] })).toEqual({ take: 3, waitUntil: null });
  });

  test('of ten a second gives the first gate at once and the next ones evenly', () => {
    const lanes = [idle(10)];
    expect(pass(lanes, 0, 5)).toEqual({ take: 1, waitUntil: after(53) });
    expect(pass(lanes, 20, 5)).toEqual({ take: 0, waitUntil: after(53) });
    expect(pass(lanes, 53, 5)).toMatchObject({ take: 1, waitUntil: after(155) });
    expect(pass(lanes, 155, 1)).toEqual({ take: 1, waitUntil: null });
  });

  test('saves nothing up: a lane that was idle for a minute gives what it gives at first', () => {
    const first = pass([idle(100)], 0, 100).take;
    const lanes = [idle(100)];
    pass(lanes, 0, 100);
    expect(pass(lanes, 60_000, 100).take).toBe(first);
  });

  test('begins anew if the clock was set back', () => {
    const lanes = [idle(1)];
    expect(pass(lanes, 3_600_000, 1).take).toBe(1);
    expect(pass(lanes, 0, 1).take).toBe(1);
    expect(pass(lanes, 1, 1)).toMatchObject({ take: 0 });
  });

  test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('refuses a rate of %s', (rate) => {
    expect(() => paceAllowance({ now: start, want: 1, lanes: [idle(rate)] })).toThrow(RangeError);
  });

  test('is never exceeded in any second, by its provider and by each of its campaigns', () => {
    fc.assert(
      fc.property(
        anyRate,
        fc.array(fc.option(anyRate, { nil: null }), { minLength: 3, maxLength: 3 }),
        steps,
        (ofProvider, ofCampaigns, taken) => {
          let provider = idle(ofProvider);
          const own = ofCampaigns.map((rate) => ({
            lane: rate === null ? null : idle(rate),
            gates: [] as number[],
          }));
          const all: number[] = [];
          let nowMs = 0;
          for (const { idleMs, want, campaign } of taken) {
            nowMs += idleMs;
            const one = own[campaign];
            if (one === undefined) throw new Error('no such campaign');
            const lanes = one.lane === null ? [provider] : [provider, one.lane];
            const { take, waitUntil } = pass(lanes, nowMs, want);
            [provider = provider, one.lane = one.lane] = lanes;
            for (let n = 0; n < take; n++) {
              all.push(nowMs);
              one.gates.push(nowMs);
            }
            expect(waitUntil === null).toBe(take === want);
            expect(waitUntil?.getTime() ?? Number.POSITIVE_INFINITY).toBeGreaterThan(after(nowMs).getTime());
          }
          expect(mostInOneSecond(all)).toBeLessThanOrEqual(Math.ceil(ofProvider));
          own.forEach(({ gates }, place) => {
            expect(mostInOneSecond(gates)).toBeLessThanOrEqual(Math.ceil(ofCampaigns[place] ?? Infinity));
          });
        },
      ),
      { numRuns: 1_500 },
    );
  });

  test('of less than one a second keeps its distance from gate to gate', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.02, max: 0.99, noNaN: true }),
        fc.array(fc.nat(5_000), { minLength: 2, maxLength: 60 }),
        (callsPerSecond, idles) => {
          const lanes = [idle(callsPerSecond)];
          const gates: number[] = [];
          let nowMs = 0;
          for (const idleMs of idles) {
            nowMs += idleMs;
            if (pass(lanes, nowMs, 1).take === 1) gates.push(nowMs);
          }
          gates.slice(1).forEach((gate, index) => {
            expect(gate - (gates[index] ?? 0)).toBeGreaterThanOrEqual(1000 / callsPerSecond - 0.001);
          });
        },
      ),
    );
  });

  test.each([1, 3, 7, 10, 50, 60, 100, 333, 1_000])(
    'of %i a second is used to 95 %% by a worker that is up to 20 ms late each time',
    (callsPerSecond) => {
      const lanes = [idle(callsPerSecond)];
      let count = 0;
      let nowMs = 0;
      for (let turn = 0; nowMs < 60_000; turn++) {
        const { take, waitUntil } = pass(lanes, nowMs, 1_000_000);
        count += take;
        nowMs = (waitUntil?.getTime() ?? 0) - start.getTime() + ((turn * 7) % 21);
      }
      expect(count).toBeGreaterThanOrEqual(Math.floor(callsPerSecond * 60 * 0.95));
    },
  );

  test.each([
    { provider: 100, campaign: 10 },
    { provider: 100, campaign: 60 },
    { provider: 100, campaign: 1 },
    { provider: 20, campaign: 19 },
    { provider: 50, campaign: 100 },
  ])('of $provider a second loses nothing to a campaign of $campaign', (rates) => {
    let provider = idle(rates.provider);
    let slow = idle(rates.campaign);
    const next = { slow: 0, greedy: 0 };
    const count = { slow: 0, greedy: 0 };
    for (let nowMs = 0; nowMs < 30_000; nowMs = Math.min(next.slow, next.greedy)) {
      const who = next.slow <= nowMs ? 'slow' : 'greedy';
      const lanes = who === 'slow' ? [provider, slow] : [provider];
      const { take, waitUntil } = pass(lanes, nowMs, 100);
      [provider = provider, slow = slow] = lanes;
      count[who] += take;
      next[who] = (waitUntil?.getTime() ?? 0) - start.getTime();
    }
    expect(count.slow).toBeGreaterThan(0);
    expect(count.slow).toBeLessThanOrEqual(rates.campaign * 30 + 1);
    expect(count.slow + count.greedy).toBeGreaterThanOrEqual(Math.floor(rates.provider * 30 * 0.95));
  });
});
