import { expect, test } from 'vitest';
import { createStrangers } from './strangers.ts';

test('those without a signature take no place of a carrier, and one address takes few of theirs', () => {
  const strangers = createStrangers({ atMost: 4, ofOneSource: 2 });
  const admitted = (kind: 'signed' | 'unsigned', ...sources: string[]) =>
    sources.map((source) => strangers.admit(kind, source) !== null);
  expect(admitted('unsigned', 'a', 'a', 'a')).toEqual([true, true, false]);
  expect(admitted('unsigned', 'b', 'c', 'd')).toEqual([true, true, false]);
  expect(admitted('signed', 'a', 'a', 'a', 'a', 'a')).toEqual([true, true, true, true, false]);
});

test('a place is free again once, however often that is said', () => {
  const strangers = createStrangers({ atMost: 2, ofOneSource: 1 });
  const free = strangers.admit('unsigned', 'a');
  strangers.admit('unsigned', 'b');
  free?.();
  free?.();
  expect(strangers.admit('unsigned', 'a')).not.toBeNull();
  expect(strangers.admit('unsigned', 'c')).toBeNull();
});
