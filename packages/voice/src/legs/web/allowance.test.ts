import { expect, test } from 'vitest';
import { createAllowance } from './allowance.ts';

test('a page may send the keys of a long number at once, and then one key a second', () => {
  const allowance = createAllowance(0);
  const taken = (count: number, now: number) =>
    Array.from({ length: count }, () => allowance.takesKey(now)).filter(Boolean).length;
  expect(taken(100, 0)).toBe(24);
  expect(taken(12, 1_000)).toBe(1);
  // Eight keys a second, for ten seconds.
  const later = Array.from({ length: 80 }, (_, n) => taken(1, 1_000 + (n + 1) * 125));
  expect(later.reduce((sum, one) => sum + one, 0)).toBe(10);
  expect(taken(100, 3_600_000)).toBe(24);
});

test('keys do not use up the allowance for audio', () => {
  const allowance = createAllowance(0);
  for (let key = 0; key < 50; key += 1) allowance.takesKey(0);
  expect(allowance.takes('audio', 80_000, 0)).toBe(true);
});
