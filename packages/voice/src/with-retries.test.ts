import { expect, test } from 'vitest';
import { withRetries } from './with-retries.ts';

/** Work that fails so many times. */
async function tried(failures: number, goesOn?: () => boolean) {
  let tries = 0;
  const work = async () => {
    tries += 1;
    if (tries <= failures) throw new Error('no database');
    return 'done';
  };
  const result = await withRetries(work, {
    onFailure: () => undefined,
    pause: () => Promise.resolve(),
    goesOn,
  }).catch((error: unknown) => String(error));
  return [tries, result];
}

test('work is tried four times, or for as long as the caller wants', async () => {
  expect(await tried(3)).toEqual([4, 'done']);
  expect(await tried(4)).toEqual([4, 'Error: no database']);
  expect(await tried(20, () => true)).toEqual([21, 'done']);
  let left = 10;
  expect(await tried(100, () => --left > 0)).toEqual([13, 'Error: no database']);
});
