import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { nextTurn, TurnNumbers, Turns } from './turns.ts';

const idle = { inUse: 0, weight: 1, servedAt: 0 };

test('the next turn belongs to the organization that holds the least', () => {
  const busy = { ...idle, inUse: 2 };
  const quiet = { ...idle, inUse: 1, servedAt: 9 };
  expect(nextTurn([busy, quiet])).toBe(quiet);
});

test('among equals, the one served least recently is next', () => {
  const [earlier, later] = [
    { ...idle, servedAt: 3 },
    { ...idle, servedAt: 4 },
  ];
  expect(nextTurn([later, earlier])).toBe(earlier);
});

test('of two organizations, the one with twice the weight may hold twice as much', () => {
  const heavy = { inUse: 3, weight: 2, servedAt: 9 };
  const light = { inUse: 2, weight: 1, servedAt: 0 };
  expect(nextTurn([light, heavy])).toBe(heavy);
  expect(nextTurn([light, { ...heavy, inUse: 4 }])).toBe(light);
});

test('without anybody who waits, nobody is next', () => {
  expect(nextTurn([])).toBeNull();
});

/** Takes turns that end in the order of `end`, and records who was served. */
function line(turns: Turns) {
  const served: string[] = [];
  const ends: Array<() => void> = [];
  return {
    served,
    async ask(organizationId: string, options?: { weight?: number; signal?: AbortSignal }) {
      const end = await turns.take(organizationId, options);
      served.push(organizationId);
      ends.push(end);
    },
    async end(count: number) {
      for (let n = 0; n < count; n++) {
        await setImmediate();
        ends.shift()?.();
      }
      await setImmediate();
    },
  };
}

test('an organization that asks once waits for one turn of a hundred that were asked before', async () => {
  const { served, ...asks } = line(new Turns({ atOnce: 1 }));
  for (let n = 0; n < 100; n++) void asks.ask('many');
  void asks.ask('one');
  await asks.end(2);
  expect(served).toEqual(['many', 'one', 'many']);
});

test('organizations that come back again and again do not keep out one that waits', async () => {
  const { served, ...asks } = line(new Turns({ atOnce: 1 }));
  for (let n = 0; n < 100; n++) void asks.ask('many');
  for (let round = 0; round < 3; round++) {
    void asks.ask('a');
    void asks.ask('b');
    await asks.end(3);
  }
  expect(served.slice(0, 9)).toEqual(['many', 'a', 'b', 'many', 'a', 'b', 'many', 'a', 'b']);
});

test('an organization never has more turns than its limit, even if nobody else waits', async () => {
  const { served, ...asks } = line(new Turns({ atOnce: 3, perOrganization: 2 }));
  for (let n = 0; n < 3; n++) void asks.ask('a');
  void asks.ask('b');
  await setImmediate();
  expect(served).toEqual(['a', 'a', 'b']);
  await asks.end(1);
  expect(served).toEqual(['a', 'a', 'b', 'a']);
});

test('who leaves the line is not served, and holds nothing', async () => {
  const turns = new Turns({ atOnce: 1 });
  const { served, ...asks } = line(turns);
  void asks.ask('a');
  const left = new AbortController();
  const leaving = asks.ask('b', { signal: left.signal });
  void asks.ask('c');
  left.abort(new Error('left'));
  await expect(leaving).rejects.toThrow('left');
  await asks.end(2);
  expect(served).toEqual(['a', 'c']);
  expect(turns.waitingOf('b')).toBe(0);
  await expect(turns.take('b', { signal: left.signal })).rejects.toThrow('left');
  await expect(turns.take('b')).resolves.toBeTypeOf('function');
});

test('a turn that is ended twice frees one place', async () => {
  const turns = new Turns({ atOnce: 1 });
  const end = await turns.take('a');
  end();
  end();
  const { served, ...asks } = line(turns);
  void asks.ask('b');
  void asks.ask('c');
  await setImmediate();
  expect(served).toEqual(['b']);
});

test('turns are numbered for each organization, and the numbers become free with time', () => {
  const numbers = new TurnNumbers({ atMost: 100 });
  const many = Array.from({ length: 100 }, () => numbers.next('many', 0));
  expect(many).toEqual(Array.from({ length: 100 }, (_, at) => at + 1));
  expect(numbers.next('one', 0)).toBe(1);
  expect(numbers.next('one', 50)).toBe(1);
  expect(numbers.next('many', 0)).toBe(100);
  expect(numbers.next('many', 1_000)).toBe(81);
  expect(numbers.next('many', 10_000)).toBe(1);
});

test('of organizations that wait elsewhere, the one that holds the least has the turn, and then the one served least recently', () => {
  const turns = new Turns({ atOnce: 3, perOrganization: 2 });
  const take = (...ids: string[]) => turns.takeForOneOf(ids);
  const first = take('a', 'b');
  expect(first?.organizationId).toBe('a');
  expect(take('a', 'b')?.organizationId).toBe('b');
  first?.end();
  const again = take('a', 'c');
  expect(again?.organizationId).toBe('c');
  again?.end();
  expect(take('a', 'c')?.organizationId).toBe('a');
  expect(take('a')?.organizationId).toBe('a');
  expect(take('b', 'c')).toBeNull();
});

test('an organization has no more turns than it may, though others are free', () => {
  const turns = new Turns({ atOnce: 3, perOrganization: 2 });
  expect([1, 2, 3].map(() => turns.takeForOneOf(['a']) !== null)).toEqual([true, true, false]);
  expect(turns.takeForOneOf(['a', 'b'])?.organizationId).toBe('b');
});
