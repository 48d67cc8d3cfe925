import { describe, expect, test } from 'vitest';
import { startLoop } from './loop.ts';

const forever = 3_600_000;

function setup(script: ReadonlyArray<() => Promise<number> | number>, waitMs: (result: number) => number) {
  const errors: object[] = [];
  const rounds: number[] = [];
  const waiters = new Map<number, () => void>();
  const loop = startLoop({
    name: 'test',
    log: { error: (fields: object) => void errors.push(fields) },
    retryAfterMs: 1,
    async runOnce() {
      const round = rounds.length;
      rounds.push(round);
      waiters.get(rounds.length)?.();
      return (await script[round]?.()) ?? 0;
    },
    waitMs,
  });
  const begun = (count: number) =>
    new Promise<void>((resolve) => {
      if (rounds.length >= count) {
        resolve();
      } else {
        waiters.set(count, resolve);
      }
    });
  return { loop, errors, rounds, begun };
}

describe('startLoop', () => {
  test('continues at once while there is work, and sleeps when there is none', async () => {
    const { loop, rounds, begun } = setup([() => 5, () => 5, () => 0], (done) => (done > 0 ? 0 : forever));
    await begun(3);
    await loop.stop();
    expect(rounds).toEqual([0, 1, 2]);
  });

  test('is woken from its sleep', async () => {
    const { loop, rounds, begun } = setup([], () => forever);
    await begun(1);
    loop.wake();
    await begun(2);
    await loop.stop();
    expect(rounds).toEqual([0, 1]);
  });

  test('a wake-up during a round makes another one follow', async () => {
    const gate = Promise.withResolvers<number>();
    const { loop, rounds, begun } = setup([() => gate.promise], () => forever);
    await begun(1);
    loop.wake();
    gate.resolve(0);
    await begun(2);
    await loop.stop();
    expect(rounds).toEqual([0, 1]);
  });

  test('logs a failed round and tries again', async () => {
    const failure = new Error('no database');
    const { loop, errors, begun } = setup(
      [() => Promise.reject(failure), () => Promise.reject(failure)],
      () => forever,
    );
    await begun(3);
    await loop.stop();
    expect(errors).toEqual([
      { loop: 'test', err: failure },
      { loop: 'test', err: failure },
    ]);
  });

  test('stop waits for the current round, and no other begins', async () => {
    const gate = Promise.withResolvers<number>();
    const { loop, rounds, begun } = setup([() => gate.promise], () => 0);
    await begun(1);
    const stopped = loop.stop();
    const first = await Promise.race([stopped, Promise.resolve('still running')]);
    expect(first).toBe('still running');
    gate.resolve(1);
    await stopped;
    expect(rounds).toEqual([0]);
  });
});
