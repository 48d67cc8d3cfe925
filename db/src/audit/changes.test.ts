import { expect, test } from 'vitest';
import { changesBetween } from './changes.ts';

test('names what differs, as it was and as it is', () => {
  expect(changesBetween({ name: 'Ada', role: 'admin' }, { name: 'Ada', role: 'viewer' })).toEqual({
    role: { before: 'admin', after: 'viewer' },
  });
});

test('what is made or removed is null on the other side', () => {
  expect(changesBetween({}, { name: 'Ada' })).toEqual({ name: { before: null, after: 'Ada' } });
  expect(changesBetween({ name: 'Ada' }, {})).toEqual({ name: { before: 'Ada', after: null } });
});

test('the order of an object’s fields is no change', () => {
  expect(
    changesBetween({ config: { a: 1, b: { c: 2, d: 3 } } }, { config: { b: { d: 3, c: 2 }, a: 1 } }),
  ).toEqual({});
});

test('long values are cut', () => {
  const { prompt } = changesBetween({}, { prompt: 'x'.repeat(10_000) });
  expect(String(prompt?.after)).toHaveLength(501);
});
