import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createSoundCollector } from './freed-sound.ts';

const sound = (megabytes: number) => new Uint8Array(megabytes * 2 ** 20);

it('collects sound that is no longer used once there may be 16 MB of it', async () => {
  const look = createSoundCollector();
  const calls = new Map([['first', sound(15)]]);
  const first = new WeakRef(calls.get('first') as Uint8Array);
  calls.delete('first');
  await turn();
  look();
  calls.set('second', sound(15));
  expect(look()).toBe(false);
  calls.set('third', sound(25));
  expect(look()).toBe(true);
  await turn();
  expect(first.deref()).toBeUndefined();
  // What is in use is no reason to look for it again.
  expect(look()).toBe(false);
  expect([...calls.keys()]).toEqual(['second', 'third']);
});
