import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createExternalMemoryCollector } from './external-memory.ts';

const audio = (megabytes: number) => new Uint8Array(megabytes * 2 ** 20);

/** What other tests of this process left could otherwise be collected meanwhile, and hide the growth. The second collection waits for the first. */
function collectLeftovers(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  collect();
}

test('collects garbage once external memory has grown by 16 MB', async () => {
  collectLeftovers();
  const collectIfGrown = createExternalMemoryCollector();
  const calls = new Map([['first', audio(15)]]);
  const first = new WeakRef(calls.get('first') as Uint8Array);
  calls.delete('first');
  await turn();
  collectIfGrown();
  calls.set('second', audio(15));
  expect(collectIfGrown()).toBe(false);
  calls.set('third', audio(25));
  expect(collectIfGrown()).toBe(true);
  await turn();
  expect(first.deref()).toBeUndefined();
  // Memory in use must not cause another collection.
  expect(collectIfGrown()).toBe(false);
  expect([...calls.keys()]).toEqual(['second', 'third']);
});
