import { expect, test } from 'vitest';
import { z } from 'zod';
import { nearestName, unknownFields, unknownFieldWarning } from './unknown-fields.ts';

const person = z.object({ phone_number: z.string(), timezone: z.string().nullish() });
const schema = z.object({
  name: z.string().transform((text) => text.trim()),
  people: z.array(person).optional(),
  extra: z.record(z.string(), z.unknown()).nullish(),
  open: z.looseObject({ a: z.string() }).optional(),
});

test('finds what the schema would drop, also within lists, and nothing in what is free-form', () => {
  const value = {
    name: 'x',
    nmae: 'y',
    people: [{ phone_number: '1' }, { phone: '1', phone_number: '1' }],
    extra: { anything: { goes: 1 } },
    open: { a: '', b: '' },
  };
  expect(unknownFields(schema, value).map(({ path }) => path)).toEqual([['nmae'], ['people', 1, 'phone']]);
});

test('an object of ten thousand unknown fields is named by twenty', () => {
  const value = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`f${index}`, 1]));
  expect(unknownFields(schema, value)).toHaveLength(20);
});

test.each([
  ['nmae', 'name'],
  ['Name', 'name'],
  ['peple', 'people'],
  ['something_else', null],
  ['x', null],
])('%s was probably meant to be %s', (name, meant) => {
  expect(nearestName({ path: [name], known: ['name', 'people'] })).toBe(meant);
});

test('names that objects have by themselves are unknown like any other', () => {
  const value: unknown = JSON.parse('{"name": "x", "__proto__": 1, "constructor": 2}');
  expect(unknownFields(schema, value).map(unknownFieldWarning)).toMatchObject([
    { loc: ['body', '__proto__'] },
    { loc: ['body', 'constructor'] },
  ]);
});
