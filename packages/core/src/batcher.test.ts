import { describe, expect, test } from 'vitest';
import { Batcher, type BatcherOptions } from './batcher.ts';

/** A batcher whose batches end on the test's command. */
function setup(options: Partial<BatcherOptions<string, string>> = {}) {
  const batches: string[][] = [];
  const ends: Array<PromiseWithResolvers<void>> = [];
  const batcher = new Batcher<string, string>({
    atMost: 10,
    async run(items) {
      batches.push([...items]);
      const end = Promise.withResolvers<void>();
      ends.push(end);
      await end.promise;
      return items.map((item) => item.toUpperCase());
    },
    ...options,
  });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return { batcher, batches, ends, turn };
}

describe('a batcher', () => {
  test('processes items of one turn together, and answers each', async () => {
    const { batcher, batches, ends, turn } = setup();
    const answers = Promise.all(['a', 'b', 'c'].map((item) => batcher.add(item)));
    await turn();
    expect(batches).toEqual([['a', 'b', 'c']]);
    ends[0]?.resolve();
    expect(await answers).toEqual(['A', 'B', 'C']);
  });

  test('collects later items into the next batch, up to its size', async () => {
    const { batcher, batches, ends, turn } = setup({ atMost: 2 });
    const first = batcher.add('a');
    await turn();
    const others = Promise.all(['b', 'c', 'd'].map((item) => batcher.add(item)));
    ends[0]?.resolve();
    await first;
    await turn();
    ends[1]?.resolve();
    await turn();
    ends[2]?.resolve();
    await others;
    expect(batches).toEqual([['a'], ['b', 'c'], ['d']]);
    await batcher.drain();
    expect(batcher.isIdle).toBe(true);
  });

  test('opens another lane if enough items wait, up to the limit', async () => {
    const { batcher, batches, ends, turn } = setup({ atMost: 3, lanes: 2, worthALane: 2 });
    const all = [batcher.add('a')];
    await turn();
    all.push(batcher.add('b'));
    await turn();
    expect(batches).toEqual([['a']]);
    all.push(batcher.add('c'));
    await turn();
    expect(batches).toEqual([['a'], ['b', 'c']]);
    all.push(...['d', 'e', 'f'].map((item) => batcher.add(item)));
    await turn();
    expect(batches).toHaveLength(2);
    ends[1]?.resolve();
    await turn();
    expect(batches[2]).toEqual(['d', 'e', 'f']);
    ends[0]?.resolve();
    ends[2]?.resolve();
    await Promise.all(all);
  });

  test('processes items of one key in order, in consecutive batches', async () => {
    const { batcher, batches, ends, turn } = setup({ lanes: 3, keyOf: (item) => item.charAt(0) });
    const all = ['a1', 'a2', 'b1'].map((item) => batcher.add(item));
    await turn();
    all.push(batcher.add('a3'));
    await turn();
    expect(batches).toEqual([['a1', 'b1']]);
    for (const n of [0, 1, 2]) {
      ends[n]?.resolve();
      await turn();
    }
    await Promise.all(all);
    expect(batches).toEqual([['a1', 'b1'], ['a2'], ['a3']]);
  });

  test("retries the items of a failed batch one by one if the error is an item's", async () => {
    const run = (items: readonly string[]) =>
      items.includes('bad') ? Promise.reject(new Error('bad')) : Promise.resolve(items);
    const split = new Batcher<string, string>({ atMost: 5, run, isOneItemsFault: () => true });
    const results = await Promise.allSettled(['a', 'bad', 'c'].map((item) => split.add(item)));
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const whole = new Batcher<string, string>({ atMost: 5, run });
    const failed = await Promise.allSettled(['a', 'bad', 'c'].map((item) => whole.add(item)));
    expect(failed.map((result) => result.status)).toEqual(['rejected', 'rejected', 'rejected']);
  });

  test('processes items that arrive just as a lane ends', async () => {
    const batcher = new Batcher<number, number>({ atMost: 5, run: (items) => Promise.resolve(items) });
    // Each item arrives in the microtask in which the previous batch ends.
    for (let n = 0; n < 50; n++) expect(await batcher.add(n)).toBe(n);
    await batcher.drain();
  });

  test('waits for others as long as configured, or until a flush', async () => {
    const { batcher, batches, ends, turn } = setup({ gatherMs: 60_000 });
    const one = batcher.add('a');
    await turn();
    const other = batcher.add('b');
    expect(batches).toEqual([]);
    batcher.flush();
    await turn();
    expect(batches).toEqual([['a', 'b']]);
    ends[0]?.resolve();
    await Promise.all([one, other]);
  });
});
