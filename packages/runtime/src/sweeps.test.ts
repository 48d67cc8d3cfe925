import type { Swept } from '@outdial/core';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { startSweeps } from './sweeps.ts';

/** A sweep that returns these results in turn, and then waits for its end. */
function setup(
  rounds: readonly Swept[],
  sweep: { everyMs?: number; betweenFullMs?: number; isRoutine?: boolean } = {},
) {
  const ran: number[] = [];
  const repaired: number[] = [];
  const startedAtMs = Date.now();
  const started = startSweeps(
    [
      {
        name: 'test',
        everyMs: 1_000,
        ...sweep,
        run: () => {
          ran.push(Date.now() - startedAtMs);
          return Promise.resolve(rounds[ran.length - 1] ?? { done: 0, isFull: false });
        },
      },
    ],
    {
      deps: undefined,
      log: { error: vi.fn<() => void>() },
      onRepaired: (_, count) => void repaired.push(count),
    },
  );
  return { ran, repaired, started };
}

describe('a sweep', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('continues at once after a full batch, and pauses after any other', async () => {
    const full = { done: 500, isFull: true };
    const { ran, repaired, started } = setup([full, full, full, { done: 7, isFull: false }]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(ran).toEqual([0, 0, 0, 0, 1_000]);
    // The zero is there before anything was repaired.
    expect(repaired).toEqual([0, 500, 500, 500, 7]);
    await started.stop();
  });

  test('that comes once a minute or less often leaves the first seconds to others', async () => {
    const { ran, started } = setup([], { everyMs: 60_000 });
    await vi.advanceTimersByTimeAsync(65_000);
    expect(ran).toEqual([5_000, 65_000]);
    await started.stop();
  });

  test('pauses between full batches if configured', async () => {
    const { ran, started } = setup([{ done: 1, isFull: true }], { betweenFullMs: 250 });
    await vi.advanceTimersByTimeAsync(250);
    expect(ran).toEqual([0, 250]);
    await started.stop();
  });

  test('runs again when something is due, and no later than its pause', async () => {
    const { ran, started } = setup([
      { done: 0, isFull: false, nextInMs: 30 },
      { done: 0, isFull: false, nextInMs: 60_000 },
    ]);
    await vi.advanceTimersByTimeAsync(1_030);
    expect(ran).toEqual([0, 30, 1_030]);
    await started.stop();
  });

  test('counts routine work as no repair', async () => {
    const { repaired, started } = setup([{ done: 3, isFull: false }], { isRoutine: true });
    await vi.advanceTimersByTimeAsync(0);
    expect(repaired).toEqual([]);
    await started.stop();
  });

  test('that can be asked for runs only when it is due, and all are asked for at once', async () => {
    const due = new Set<string>();
    const questions: string[] = [];
    const ran: string[] = [];
    const sweep = (name: string, everyMs: number) => ({
      name,
      everyMs,
      run: () => Promise.resolve({ done: ran.push(name), isFull: false }),
    });
    const started = startSweeps([sweep('often', 500), sweep('rare', 1_000), sweep('always', 1_000)], {
      deps: undefined,
      log: { error: vi.fn<() => void>() },
      asked: {
        names: new Set(['often', 'rare']),
        findDue: (names) => {
          questions.push(names.join());
          return due.has('broken') ? Promise.reject(new Error('no database')) : Promise.resolve(due);
        },
      },
    });
    await vi.advanceTimersByTimeAsync(10);
    expect(ran.splice(0)).toEqual(['often', 'rare', 'always']);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(questions.splice(0).map((names) => names.split(',').toSorted().join())).toEqual([
      'often',
      'often,rare',
      'often',
      'often,rare',
    ]);
    expect(ran.splice(0)).toEqual(['always', 'always']);
    due.add('rare');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(ran.splice(0).toSorted()).toEqual(['always', 'rare']);
    due.add('broken');
    await vi.advanceTimersByTimeAsync(1_000);
    expect(new Set(ran)).toEqual(new Set(['often', 'rare', 'always']));
    await started.stop();
  });
});
