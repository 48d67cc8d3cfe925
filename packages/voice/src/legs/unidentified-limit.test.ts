import { expect, test } from 'vitest';
import { createUnidentifiedLimit } from './unidentified-limit.ts';

test('unsigned connections take no place of a signed one, and one address may take only a few', () => {
  const limit = createUnidentifiedLimit({ atMost: 4, perSource: 2 });
  const admitted = (kind: 'signed' | 'unsigned', ...sources: string[]) =>
    sources.map((source) => limit.admit(kind, source) !== null);
  expect(admitted('unsigned', 'a', 'a', 'a')).toEqual([true, true, false]);
  expect(admitted('unsigned', 'b', 'c', 'd')).toEqual([true, true, false]);
  expect(admitted('signed', 'a', 'a', 'a', 'a', 'a')).toEqual([true, true, true, true, false]);
});

test('a slot is released only once', () => {
  const limit = createUnidentifiedLimit({ atMost: 2, perSource: 1 });
  const free = limit.admit('unsigned', 'a');
  limit.admit('unsigned', 'b');
  free?.();
  free?.();
  expect(limit.admit('unsigned', 'a')).not.toBeNull();
  expect(limit.admit('unsigned', 'c')).toBeNull();
});
