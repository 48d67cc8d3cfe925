import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judgeAbandonment, slowedLines } from './abandonment.ts';

test.each([
  [{ connected: 0, abandoned: 0 }, null],
  [{ connected: 20, abandoned: 9 }, null],
  [{ connected: 97, abandoned: 3 }, null],
  [
    { connected: 96, abandoned: 4 },
    { share: 0.04, calls: 100 },
  ],
  [
    { connected: 0, abandoned: 30 },
    { share: 1, calls: 30 },
  ],
])('of %j it makes %j', (counts, verdict) => {
  expect(judgeAbandonment(counts)).toEqual(verdict);
});

test('a campaign that leaves twice as many without a voice as it may has half the lines', () => {
  expect(slowedLines(100, { share: 0.06, calls: 100 })).toBe(50);
});

test('for any campaign, at least one line, at most its own, and fewer for a larger share', () => {
  const share = fc.double({ min: 0.0301, max: 1, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000 }), share, share, (max, one, other) => {
      const [low, high] = [Math.min(one, other), Math.max(one, other)];
      const [more, fewer] = [
        slowedLines(max, { share: low, calls: 100 }),
        slowedLines(max, { share: high, calls: 100 }),
      ];
      expect(fewer).toBeGreaterThanOrEqual(1);
      expect(fewer).toBeLessThanOrEqual(more);
      expect(more).toBeLessThanOrEqual(max);
    }),
  );
});
