import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findJsonFault, losesDigits } from './json-faults.ts';

describe('a number', () => {
  test.each([
    '0',
    '-0',
    '0e9',
    '1.50',
    '1e3',
    '-12.5E-7',
    '9007199254740992',
    '0.30000000000000004',
    '1.7976931348623157e308',
  ])('%s keeps its digits', (text) => expect(losesDigits(text)).toBe(false));

  test.each([
    '9007199254740993',
    '-9007199254740993',
    '9007199254740994',
    '12345678901234567890',
    '3.141592653589793238',
    '1e400',
    '-1e400',
    '1e-400',
    `1${'0'.repeat(2_000)}`,
  ])('%s loses some', (text) => expect(losesDigits(text)).toBe(true));

  test('that is written by a program from a double keeps its digits, unless it is a whole number beyond 2^53', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = JSON.stringify(value);
        expect(losesDigits(text)).toBe(/^-?\d+$/.test(text) && Math.abs(value) > 2 ** 53);
      }),
    );
  });
});

test.each<[string, ReadonlyArray<string | number>]>([
  ['{"status":"draft","status":"running"}', ['status']],
  ['{"a":[1,{"b":{"c":1,"d":[],"c":2}}]}', ['a', 1, 'b', 'c']],
  ['{"status":1,"st\\u0061tus":1}', ['status']],
  ['[{"a":1},{"a":1},{"a":1,"b":"\\"}","a":1}]', [2, 'a']],
  ['{"__proto__":1,"__proto__":2}', ['__proto__']],
  ['{"big":9007199254740993,"a":1,"a":1}', ['a']],
])('%s names something twice', (text, path) => {
  expect(findJsonFault(text)).toEqual({ kind: 'repeated_name', path });
});

test.each<[string, ReadonlyArray<string | number>]>([
  ['9007199254740993', []],
  ['{"meta":{"orders":[1,2,9007199254740993]},"a":true}', ['meta', 'orders', 2]],
  ['{"a":"9007199254740993","b":1e400}', ['b']],
])('%s has a number that would be rounded', (text, path) => {
  expect(findJsonFault(text)).toEqual({ kind: 'lost_digits', path });
});

test('nothing is wrong with what a program writes from values', () => {
  const value = fc.jsonValue({ maxDepth: 6 });
  fc.assert(
    fc.property(value, (given) => {
      const text = JSON.stringify(given, (_name, one: unknown) =>
        typeof one === 'number' && Math.abs(one) > 2 ** 53 ? 0 : one,
      );
      expect(findJsonFault(text)).toBeNull();
    }),
  );
});

test('any repeated name is found, however deep', () => {
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 4 }),
      fc.string(),
      fc.array(fc.boolean()),
      (value, name, inLists) => {
        const twice = `{${JSON.stringify(name)}:${JSON.stringify(value)},${JSON.stringify(name)}:1}`;
        const text = inLists.reduce((inner, inList) => (inList ? `[0,${inner}]` : `{"x":${inner}}`), twice);
        expect(findJsonFault(text)).toMatchObject({ kind: 'repeated_name' });
      },
    ),
  );
});
