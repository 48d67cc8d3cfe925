import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  organizationShare,
  usedSoFar,
  type LineAccount,
  type OrganizationLines,
} from './organization-share.ts';

const lines = (inUse: number, weight = 1, used = 0): OrganizationLines => ({ inUse, weight, used });

describe('the share of an organization', () => {
  test('is all free lines if no other organization waits', () => {
    expect(organizationShare(lines(3), [], 5)).toBe(5);
    expect(organizationShare(lines(3), [], -1)).toBe(0);
  });

  test('gives each line to the organization with the fewest lines', () => {
    expect(organizationShare(lines(4), [lines(0)], 4)).toBe(0);
    expect(organizationShare(lines(0), [lines(4)], 4)).toBe(4);
    expect(organizationShare(lines(1), [lines(1)], 2)).toBe(1);
  });

  test('gives a line to the organization with the least use, if several have equally many lines', () => {
    expect(organizationShare(lines(1, 1, 3.2), [lines(1, 1, 3.1)], 1)).toBe(0);
    expect(organizationShare(lines(1, 1, 3.1), [lines(1, 1, 3.2)], 1)).toBe(1);
  });

  test('is proportional to the weight', () => {
    expect(organizationShare(lines(0, 3), [lines(0, 1)], 8)).toBe(6);
    expect(organizationShare(lines(0, 1), [lines(0, 3)], 8)).toBe(2);
  });

  test('gives no line to organizations that want none', () => {
    expect(organizationShare(lines(0), [{ ...lines(0), wanted: 1 }], 4)).toBe(3);
  });
});

describe('the account of an organization', () => {
  const at = (seconds: number) => new Date(seconds * 1000);
  const account = (used: number, held: number, asOf: number): LineAccount => ({
    used,
    lines: held,
    asOf: at(asOf),
    seenAt: at(asOf),
  });

  test('grows with its lines, and more slowly with a higher weight', () => {
    const [one, other] = usedSoFar(
      [
        { weight: 1, account: account(5, 2, 100) },
        { weight: 4, account: account(5, 2, 100) },
      ],
      at(110),
    );
    expect(one).toBe(25);
    expect(other).toBe(10);
  });

  test('starts for a new organization at the lowest of the others', () => {
    expect(
      usedSoFar(
        [
          { weight: 1, account: account(90, 0, 100) },
          { weight: 1, account: account(70, 0, 100) },
          { weight: 1, account: null },
        ],
        at(100),
      ),
    ).toEqual([90, 70, 70]);
  });

  test('earns no credit while it wants nothing, and keeps its debt', () => {
    const others = { weight: 1, account: account(70, 1, 100) };
    expect(usedSoFar([others, { weight: 1, account: account(10, 0, 80) }], at(100))[1]).toBe(70);
    expect(usedSoFar([others, { weight: 1, account: account(95, 0, 80) }], at(100))[1]).toBe(95);
  });

  test('earns credit for an organization that waited all the time', () => {
    const others = { weight: 1, account: account(70, 1, 100) };
    expect(usedSoFar([others, { weight: 1, account: account(10, 0, 98) }], at(100))[1]).toBe(10);
  });
});

interface Caller {
  weight: number;
  /** The length of each of its calls. */
  callSeconds: number;
  /** When it starts to want lines; from then on it wants as many as it can get. */
  from?: number;
}

/** The average lines of each caller, at a provider that allots free lines every second in the order of requests. */
function linesOnAverage(
  callers: readonly Caller[],
  { max, seconds, order, since = 0 }: { max: number; seconds: number; order: () => number; since?: number },
): number[] {
  const state = callers.map((one) => ({
    ...one,
    ends: [] as number[],
    had: 0,
    account: null as LineAccount | null,
  }));
  for (let second = 1; second <= seconds; second++) {
    const now = new Date(second * 1000);
    for (const one of state) {
      const before = one.ends.length;
      one.ends = one.ends.filter((end) => end > second);
      // Accounts are saved when lines are released.
      if (one.account && one.ends.length < before) {
        const used = usedSoFar([one], now)[0] ?? 0;
        one.account = { ...one.account, used, lines: one.ends.length, asOf: now };
      }
    }
    const wanting = state.filter((one) => second >= (one.from ?? 0));
    const first = order() % Math.max(1, wanting.length);
    let used: number[] | null = null;
    for (let turn = 0; turn < wanting.length; turn++) {
      const own = wanting[(first + turn) % wanting.length];
      const free = max - state.reduce((sum, one) => sum + one.ends.length, 0);
      if (!own || free <= 0) continue;
      if (used === null) {
        used = usedSoFar(wanting, now);
        for (const [n, one] of wanting.entries()) {
          one.account = { used: used[n] ?? 0, lines: one.ends.length, asOf: now, seenAt: now };
        }
      }
      const view = (one: (typeof wanting)[number]) =>
        lines(one.ends.length, one.weight, one.account?.used ?? 0);
      const take = organizationShare(view(own), wanting.filter((one) => one !== own).map(view), free);
      for (let line = 0; line < take; line++) own.ends.push(second + own.callSeconds);
      if (own.account) own.account.lines = own.ends.length;
    }
    if (second > since) for (const one of state) one.had += one.ends.length;
  }
  return state.map((one) => one.had / (seconds - since));
}

/** Each caller's average as a fraction of its fair share. */
function ofFairShare(callers: readonly Caller[], max: number, average: readonly number[]): number[] {
  const weights = callers.reduce((sum, one) => sum + one.weight, 0);
  return callers.map((one, n) => (average[n] ?? 0) / ((max * one.weight) / weights));
}

const inTurn = () => {
  let n = 0;
  return () => n++;
};

describe('each organization gets at least 90 % of its fair share', () => {
  test.each<{ what: string; callers: Caller[]; max: number; seconds?: number }>([
    {
      what: 'with calls of 30 seconds and of one second, on one line',
      callers: [
        { weight: 1, callSeconds: 30 },
        { weight: 1, callSeconds: 1 },
      ],
      max: 1,
    },
    {
      what: 'with calls of 30 seconds and of one second, on three lines',
      callers: [
        { weight: 1, callSeconds: 30 },
        { weight: 1, callSeconds: 1 },
      ],
      max: 3,
    },
    {
      what: 'if one has ten times the weight, on four lines',
      callers: [
        { weight: 10, callSeconds: 7 },
        { weight: 1, callSeconds: 20 },
      ],
      max: 4,
    },
    {
      what: 'among a hundred on four lines, if every second one has long calls',
      callers: Array.from({ length: 100 }, (_, n) => ({ weight: 1, callSeconds: n % 2 === 0 ? 1 : 6 })),
      max: 4,
      seconds: 3_000,
    },
    {
      what: 'among a hundred on four lines, if one has fifty times the weight',
      callers: Array.from({ length: 100 }, (_, n) => ({ weight: n === 0 ? 50 : 1, callSeconds: 10 })),
      max: 4,
      seconds: 6_000,
    },
  ])('$what', ({ callers, max, seconds = 4_000 }) => {
    const average = linesOnAverage(callers, { max, seconds, order: inTurn() });
    for (const share of ofFairShare(callers, max, average)) expect(share).toBeGreaterThanOrEqual(0.9);
  });

  test('within a minute after an organization joins, both the new one and the others', () => {
    const callers = [
      { weight: 1, callSeconds: 5 },
      { weight: 1, callSeconds: 5, from: 1_000 },
    ];
    const average = linesOnAverage(callers, { max: 4, seconds: 1_060, order: inTurn(), since: 1_005 });
    for (const share of ofFairShare(callers, 4, average)) expect(share).toBeGreaterThanOrEqual(0.9);
  });

  test('for any weights, call lengths and lines, in any order of requests', () => {
    const caller = fc.record({
      weight: fc.integer({ min: 1, max: 5 }),
      callSeconds: fc.integer({ min: 1, max: 40 }),
    });
    fc.assert(
      fc.property(
        fc.array(caller, { minLength: 2, maxLength: 6 }),
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 97 }),
        (callers, max, step) => {
          let n = 0;
          const order = () => (n += step);
          const average = linesOnAverage(callers, { max, seconds: 6_000, order });
          for (const share of ofFairShare(callers, max, average)) expect(share).toBeGreaterThanOrEqual(0.9);
        },
      ),
      { numRuns: 30 },
    );
  });
});
