import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ShortCache } from './short-cache.ts';

test('concurrent requests share one look-up', async () => {
  const cache = new ShortCache<number>(60_000);
  let count = 0;
  const lookUp = async () => ++count;
  expect(await Promise.all([cache.get('a', lookUp), cache.get('a', lookUp)])).toEqual([1, 1]);
});

test('a failure is not cached', async () => {
  const cache = new ShortCache<number>(60_000);
  await expect(cache.get('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await cache.get('a', async () => 8)).toBe(8);
});

test('an entry older than its lifetime is looked up again', async () => {
  const cache = new ShortCache<number>(0);
  expect(await cache.get('a', async () => 1)).toBe(1);
  expect(await cache.get('a', async () => 2)).toBe(2);
});

/** A cache with a lifetime of a second, and its clock. */
function cacheOfASecond(): { cache: ShortCache<number>; at: (ms: number) => void } {
  let nowMs = 0;
  const cache = new ShortCache<number>(1_000, { monotonicMs: () => nowMs });
  return { cache, at: (ms) => (nowMs = ms) };
}

test('a value in constant use is refreshed in the background before it expires', async () => {
  const { cache, at } = cacheOfASecond();
  const answered = Promise.withResolvers<number>();
  await cache.get('a', async () => 1);
  at(499);
  expect(await cache.get('a', () => Promise.reject(new Error('too early')))).toBe(1);
  at(500);
  expect(await cache.get('a', () => answered.promise)).toBe(1);
  expect(await cache.get('a', () => Promise.reject(new Error('already in progress')))).toBe(1);
  answered.resolve(2);
  await setImmediate();
  expect(await cache.get('a', () => Promise.reject(new Error('known')))).toBe(2);
  at(1_499);
  expect(await cache.get('a', async () => 3)).toBe(2);
});

test('a value whose refresh fails expires', async () => {
  const { cache, at } = cacheOfASecond();
  await cache.get('a', async () => 1);
  at(900);
  expect(await cache.get('a', () => Promise.reject(new Error('away')))).toBe(1);
  at(999);
  expect(await cache.get('a', async () => 2)).toBe(1);
  at(1_000);
  expect(await cache.get('a', async () => 3)).toBe(3);
});

test('a late refresh does not replace a newer value', async () => {
  const { cache, at } = cacheOfASecond();
  const late = Promise.withResolvers<number>();
  await cache.get('a', async () => 1);
  at(500);
  await cache.get('a', () => late.promise);
  at(1_000);
  expect(await cache.get('a', async () => 2)).toBe(2);
  late.resolve(7);
  await setImmediate();
  expect(await cache.get('a', async () => 3)).toBe(2);
});
