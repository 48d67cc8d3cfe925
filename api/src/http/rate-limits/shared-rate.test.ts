import { RateLimiterMemory } from 'rate-limiter-flexible';
import { expect, test } from 'vitest';
import { SharedRate } from './shared-rate.ts';

const failed = () => {
  throw new Error('not expected');
};

/** Two processes with a shared counter. */
function twoProcesses() {
  const counter = new RateLimiterMemory({ points: 1e9, duration: 60 });
  const options = { windowSeconds: 60, onFailure: failed };
  return [new SharedRate(counter, options), new SharedRate(counter, options)] as const;
}

test('two processes share one limit', async () => {
  const processes = twoProcesses();
  let allowed = 0;
  for (let at = 0; at < 200; at++) {
    const process = processes[at % 2];
    if ((await process?.take('key', 100))?.allowed) allowed += 1;
  }
  // Each has counted half of the limit when it starts to use the shared counter for every request.
  expect(allowed).toBeLessThanOrEqual(102);
  expect((await processes[0].take('key', 100)).allowed).toBe(false);
  expect((await processes[1].take('key', 100)).allowed).toBe(false);
  expect((await processes[1].take('another', 100)).allowed).toBe(true);
});

test('reports the remaining requests and the time of the reset', async () => {
  const [rate] = twoProcesses();
  expect(await rate.take('key', 10)).toEqual({ allowed: true, limit: 10, remaining: 9, resetSeconds: 60 });
});

test('without a shared counter, each process counts on its own', async () => {
  const failures: unknown[] = [];
  const rate = new SharedRate(
    { consume: () => Promise.reject(new Error('away')) },
    { windowSeconds: 60, onFailure: (error) => failures.push(error) },
  );
  const states = [];
  for (let at = 0; at < 12; at++) states.push((await rate.take('key', 10)).allowed);
  expect(states.filter(Boolean)).toHaveLength(10);
  expect(failures.length).toBeGreaterThan(0);
});
