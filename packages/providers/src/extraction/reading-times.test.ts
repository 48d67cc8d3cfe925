import { expect, test } from 'vitest';
import { ReadingTimes } from './reading-times.ts';

const files = (...owners: string[]) => owners.map((owner) => ({ owner }));

test('the next file is the first file of the owner with the least reading time', () => {
  const times = new ReadingTimes();
  expect(times.indexOfNext([], 0)).toBe(-1);
  expect(times.indexOfNext(files('a', 'b', 'a'), 0)).toBe(0);
  times.add('a', 10, 0);
  expect(times.indexOfNext(files('a', 'b', 'c', 'b'), 0)).toBe(1);
  times.add('b', 20, 0);
  expect(times.indexOfNext(files('b', 'a'), 0)).toBe(1);
});

test('old usage no longer counts', () => {
  const times = new ReadingTimes();
  times.add('a', 100_000, 0);
  times.add('b', 1, 3_600_000);
  expect(times.of('a', 60_000)).toBe(50_000);
  expect(times.indexOfNext(files('b', 'a'), 3_600_000)).toBe(1);
});

test('many owners take little memory, and those with the most reading time are remembered', () => {
  const times = new ReadingTimes();
  times.add('greedy', 1_000_000, 0);
  for (let count = 0; count < 25_000; count++) times.add(`owner ${count}`, 1, 0);
  expect(times.of('greedy', 0)).toBe(1_000_000);
});
