import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findUnstorable } from './unstorable.ts';

function find(text: string) {
  return findUnstorable(JSON.parse(text), text);
}

test.each([
  ['"a\\u0000"', []],
  ['{"a":["ok","\\ud800"]}', ['a', 1]],
  ['{"a":{"b\\u0000":1}}', ['a']],
  ['["\\uDC00\\ud800"]', [0]],
])('%s has text that Postgres cannot store', (text, loc) => {
  expect(find(text)).toMatchObject({ loc, type: 'string_unicode' });
});

test.each(['"\\\\u0000"', '"\\ud83d\\ude00"', '"😀"', '{"a":null,"b":[1,2]}'])('%s can be stored', (text) => {
  expect(find(text)).toBeNull();
});

test('finds NUL and lone surrogates exactly as a search through every string does', () => {
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\u0000', '\ud800', '\udfffx'));
  const tree = fc.letrec((tie) => ({
    node: fc.oneof(
      { depthSize: 'small' },
      text,
      fc.integer(),
      fc.array(tie('node')),
      fc.dictionary(text, tie('node'), { noNullPrototype: true }),
    ),
  })).node;
  fc.assert(
    fc.property(tree, (value) => {
      const json = JSON.stringify(value);
      const bad = everyString(JSON.parse(json)).some(
        (found) => !found.isWellFormed() || found.includes('\u0000'),
      );
      expect(find(json) !== null).toBe(bad);
    }),
  );
});

function everyString(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...everyString(inner)]);
}
