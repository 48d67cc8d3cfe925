import { describe, expect, test } from 'vitest';
import { createJournal, createKernel, createResource, type Process, type Resource } from './kernel.ts';

function* hold(resource: Resource, ms: number, now: () => number, ended: number[]): Process {
  yield { kind: 'take', of: resource };
  yield { kind: 'delay', ms };
  resource.leave(now());
  ended.push(now());
}

describe('a resource', () => {
  test('lets as many in as it has places, and the rest in the order in which they came', () => {
    const kernel = createKernel();
    const resource = createResource('two', 2);
    const ended: number[] = [];
    for (const ms of [10, 30, 10, 10]) kernel.start(hold(resource, ms, () => kernel.now(), ended));
    kernel.run(100);
    expect(ended).toEqual([10, 20, 30, 30]);
    expect(resource.utilisation(kernel.now())).toBeCloseTo(60 / 200);
    expect(resource.waiting()).toBe(0);
  });

  test('one place and arrivals by chance wait as Pollaczek and Khinchin say of M/D/1', () => {
    const kernel = createKernel();
    const row = createResource('row', 1);
    const [meanMs, serviceMs] = [10, 7];
    let waitedMs = 0;
    let served = 0;
    let state = 1;
    const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
    function* one(): Process {
      const cameMs = kernel.now();
      yield { kind: 'take', of: row };
      waitedMs += kernel.now() - cameMs;
      served += 1;
      yield { kind: 'delay', ms: serviceMs };
      row.leave(kernel.now());
    }
    function* arrivals(): Process {
      for (;;) {
        yield { kind: 'delay', ms: -Math.log(random()) * meanMs };
        kernel.start(one());
      }
    }
    kernel.start(arrivals());
    kernel.run(2_000_000);
    const load = serviceMs / meanMs;
    const expectedMs = (load * serviceMs) / (2 * (1 - load));
    expect(waitedMs / served).toBeGreaterThan(expectedMs * 0.93);
    expect(waitedMs / served).toBeLessThan(expectedMs * 1.07);
  });
});

test('commits that come during a flush share the next one', () => {
  const kernel = createKernel();
  const journal = createJournal(10);
  const ended: number[] = [];
  function* commit(atMs: number): Process {
    yield { kind: 'delay', ms: atMs };
    yield { kind: 'flush', of: journal };
    ended.push(kernel.now());
  }
  for (const atMs of [0, 1, 9, 15, 50]) kernel.start(commit(atMs));
  kernel.run(100);
  expect(ended).toEqual([10, 20, 20, 30, 60]);
  expect(journal.flushes()).toBe(4);
});
