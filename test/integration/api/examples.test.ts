import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { apiWorld } from './api-world.ts';

const { client } = await apiWorld();

const content = z.record(z.string(), z.looseObject({ schema: z.unknown(), example: z.unknown().optional() }));
const described = z.looseObject({
  requestBody: z.looseObject({ content }).optional(),
  responses: z.record(z.string(), z.looseObject({ content: content.optional() })),
});

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ $id: 'document', ...client.document });

interface Example {
  name: string;
  pointer: string[];
  example: unknown;
}

function examplesOf(): Example[] {
  return Object.entries(client.document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      const { requestBody, responses } = described.parse(operation);
      const at = ['paths', path, method];
      const label = `${method.toUpperCase()} ${path}`;
      const sent = Object.entries(requestBody?.content ?? {}).map(([type, { example }]) => ({
        name: `${label}, sent as ${type}`,
        pointer: [...at, 'requestBody', 'content', type, 'schema'],
        example,
      }));
      const answer = responses['200']?.content?.['application/json'];
      if (answer === undefined) return sent;
      const pointer = [...at, 'responses', '200', 'content', 'application/json', 'schema'];
      return [...sent, { name: `${label}, answered`, pointer, example: answer.example }];
    }),
  );
}

const examples = examplesOf();

test('there is an example of everything that is sent and answered', () => {
  expect(examples.length).toBeGreaterThan(90);
  expect(examples.filter(({ example }) => example === undefined || example === null)).toEqual([]);
});

test.each(examples.map((one) => [one.name, one] as const))(
  '%s: is what its schema says',
  (_, { pointer, example }) => {
    const steps = pointer.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')));
    const validate = ajv.compile({ $ref: `document#/${steps.join('/')}` });
    expect(validate(example) ? [] : ajv.errorsText(validate.errors)).toEqual([]);
  },
);

/** Numbers reserved for fiction: +1 555 has no subscribers; Ofcom reserves 020 7946 0 for drama. */
const fiction = /^\+(1555\d{7}|442079460\d{3})$/;

test('no example has a number that rings somewhere', () => {
  const numbers = JSON.stringify(client.document).match(/\+\d{7,15}/g) ?? [];
  expect(numbers.length).toBeGreaterThan(20);
  expect([...new Set(numbers)].filter((number) => !fiction.test(number))).toEqual([]);
});

test('every parameter of a query has a type', () => {
  const untyped = Object.entries(client.document.paths).flatMap(([path, item]) =>
    Object.values(item).flatMap((operation) =>
      z
        .looseObject({ parameters: z.array(z.looseObject({ name: z.string(), schema: z.looseObject({}) })) })
        .parse(operation)
        .parameters.filter(
          ({ schema }) => !('type' in schema || 'anyOf' in schema || '$ref' in schema || 'enum' in schema),
        )
        .map(({ name }) => `${path}?${name}`),
    ),
  );
  expect(untyped).toEqual([]);
});
