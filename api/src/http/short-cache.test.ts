import { expect, test } from 'vitest';
import { ShortCache } from './short-cache.ts';

test('requests at the same time share one look-up', async () => {
  const cache = new ShortCache<number>(60_000);
  let count = 0;
  const lookUp = async () => ++count;
  expect(await Promise.all([cache.get('a', lookUp), cache.get('a', lookUp)])).toEqual([1, 1]);
});

test('a failure is not remembered', async () => {
  const cache = new ShortCache<number>(60_000);
  await expect(cache.get('a', () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(await cache.get('a', async () => 8)).toBe(8);
});

test('what is older than its lifetime is looked up again', async () => {
  const cache = new ShortCache<number>(0);
  expect(await cache.get('a', async () => 1)).toBe(1);
  expect(await cache.get('a', async () => 2)).toBe(2);
});
