import { expect, test } from 'vitest';
import { changesBetween } from './audit-scope.ts';

test('lists changed fields with old and new values', () => {
  expect(changesBetween({ name: 'Ada', role: 'admin' }, { name: 'Ada', role: 'viewer' })).toEqual({
    role: { before: 'admin', after: 'viewer' },
  });
});

test('created and removed values are null on the other side', () => {
  expect(changesBetween({}, { name: 'Ada' })).toEqual({ name: { before: null, after: 'Ada' } });
  expect(changesBetween({ name: 'Ada' }, {})).toEqual({ name: { before: 'Ada', after: null } });
});

test('a different order of fields is not a change', () => {
  expect(
    changesBetween({ config: { a: 1, b: { c: 2, d: 3 } } }, { config: { b: { d: 3, c: 2 }, a: 1 } }),
  ).toEqual({});
});

test('long values are truncated', () => {
  const { prompt } = changesBetween({}, { prompt: 'x'.repeat(10_000) });
  expect(String(prompt?.after)).toHaveLength(501);
});
