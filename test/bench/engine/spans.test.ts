import { describe, expect, test } from 'vitest';
import { inUse, mostInUse, turnovers, usedOf } from './spans.ts';

/** Two lines: one call after the other on each, with a pause of ten and of twenty. */
const calls = [
  { fromMs: 0, toMs: 100 },
  { fromMs: 50, toMs: 150 },
  { fromMs: 110, toMs: 210 },
  { fromMs: 170, toMs: 270 },
];

describe('lines in use', () => {
  test('steps up at a begin and down at an end', () => {
    expect(inUse(calls).map(({ atMs, lines }) => [atMs, lines])).toEqual([
      [0, 1],
      [50, 2],
      [100, 1],
      [110, 2],
      [150, 1],
      [170, 2],
      [210, 1],
      [270, 0],
    ]);
  });

  test('gives a line on within one millisecond without counting it twice', () => {
    const handedOn = [
      { fromMs: 0, toMs: 100 },
      { fromMs: 100, toMs: 200 },
    ];
    expect(mostInUse(handedOn)).toBe(1);
  });

  test('shows one call too many', () => {
    expect(mostInUse([...calls, { fromMs: 60, toMs: 90 }])).toBe(3);
  });
});

describe('the part of the lines that was used', () => {
  test('weighs by time, and counts nothing outside of the window', () => {
    // From 50 to 170 two lines have 240; they are used but for 10 and 20.
    expect(usedOf(calls, 2, { fromMs: 50, toMs: 170 })).toBe(210 / 240);
    expect(usedOf(calls, 2, { fromMs: 60, toMs: 90 })).toBe(1);
  });
});

describe('turnovers', () => {
  test('match an end with the next dial on its line', () => {
    expect(turnovers(calls, 2, { fromMs: 0, toMs: 1_000 })).toEqual([10, 20]);
    expect(turnovers(calls, 2, { fromMs: 0, toMs: 120 })).toEqual([10]);
    expect(turnovers(calls, 4, { fromMs: 0, toMs: 1_000 })).toEqual([]);
  });
});
