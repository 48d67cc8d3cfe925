import { expect, test } from 'vitest';
import { z } from 'zod';
import { unknownFields, unknownFieldsWarning, unknownFieldWarning } from './unknown-fields.ts';

const person = z.object({ phone_number: z.string(), timezone: z.string().nullish() });
const schema = z.object({
  name: z.string().transform((text) => text.trim()),
  people: z.array(person).optional(),
  extra: z.record(z.string(), z.unknown()).nullish(),
  open: z.looseObject({ a: z.string() }).optional(),
});

test('finds fields that the schema would drop, also within lists, but none in free-form objects', () => {
  const value = {
    name: 'x',
    nmae: 'y',
    people: [{ phone_number: '1' }, { phone: '1', phone_number: '1' }],
    extra: { anything: { goes: 1 } },
    open: { a: '', b: '' },
  };
  expect(unknownFields(schema, value).fields.map(({ path }) => path)).toEqual([
    ['nmae'],
    ['people', 1, 'phone'],
  ]);
});

test('of ten thousand unknown fields, twenty are named and the others counted', () => {
  const value = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`f${index}`, 1]));
  const found = unknownFields(schema, value);
  expect(found.fields).toHaveLength(20);
  expect(found.more).toBe(9_980);
  expect(unknownFieldsWarning(found)[0]?.msg).toContain('9980 more fields');
});

test('names that every object inherits count as unknown', () => {
  const value: unknown = JSON.parse('{"name": "x", "__proto__": 1, "constructor": 2}');
  expect(unknownFields(schema, value).fields.map(unknownFieldWarning)).toMatchObject([
    { loc: ['body', '__proto__'] },
    { loc: ['body', 'constructor'] },
  ]);
});
