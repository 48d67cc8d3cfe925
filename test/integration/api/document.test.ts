import { eventTypes } from '@outdial/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { apiWorld } from './api-world.ts';
import { fields, inputs, operations } from './interface-tables.ts';

const { client } = await apiWorld();
const { document } = client;

interface Schema {
  type?: string | string[] | undefined;
  format?: string | undefined;
  enum?: unknown[] | undefined;
  $ref?: string | undefined;
  anyOf?: Schema[] | undefined;
  properties?: Record<string, Schema> | undefined;
  required?: string[] | undefined;
}

const schema: z.ZodType<Schema> = z.looseObject({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  format: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  $ref: z.string().optional(),
  get anyOf() {
    return z.array(schema).optional();
  },
  get properties() {
    return z.record(z.string(), schema).optional();
  },
  required: z.array(z.string()).optional(),
});

function resolve(given: Schema): Schema {
  if (given.$ref === undefined) {
    return given;
  }
  return resolve(schema.parse(document.components.schemas[given.$ref.split('/').at(-1) ?? '']));
}

/** The type of a schema, in the notation of the interface's tables. */
function wordsOf(given: Schema): { words: Set<string>; nullable: boolean } {
  const all = resolve(given);
  const words = new Set<string>();
  for (const variant of (all.anyOf ?? [all]).map(resolve)) {
    [variant.type ?? [], variant.format ?? []].flat().forEach((word) => words.add(word));
    if (variant.enum !== undefined) words.add('enum');
  }
  return { words, nullable: words.has('null') };
}

function rowsOf(table: string): Array<[string, string[][]]> {
  return table
    .trim()
    .split(/\n(?! )/)
    .map((line) => {
      const [name = '', list = ''] = line.split(/: ?(?=\w+!? )/, 2);
      return [name, list.split('|').map((field) => field.trim().split(/\s+/))];
    });
}

const operationRows = operations
  .trim()
  .split('\n')
  .map((line) => {
    const [operation = '', resource = ''] = line.split(' | ');
    return [operation, resource] as const;
  });

function describedOperation(operation: string) {
  const [method = '', path = ''] = operation.split(' ');
  const described = document.paths[path]?.[method.toLowerCase()];
  if (described === undefined) throw new Error(`the document has no ${operation}`);
  return described;
}

function answerOf(operation: string): Schema {
  return resolve(
    schema.parse(describedOperation(operation).responses['200']?.content?.['application/json']?.schema),
  );
}

describe('answers', () => {
  const inData = (resource: string) => resource.startsWith('data ');

  test.each(operationRows.filter(([, resource]) => resource !== 'audio'))(
    '%s answers %s',
    (operation, resource) => {
      const { properties = {} } = answerOf(operation);
      expect(Object.keys(properties)).toEqual(inData(resource) ? ['data'] : ['message', 'meta', 'data']);
      const name = resource.replace(/^data | list$/g, '').replace(/ list$/, '');
      expect(JSON.stringify(properties['data'])).toContain(`"#/components/schemas/${name}"`);
      expect(properties['data']?.type === 'array').toBe(resource.endsWith(' list'));
    },
  );
});

describe('fields', () => {
  const rows = rowsOf(fields).flatMap(([name, list]) =>
    list.map(([field = '', type = '']) => [name, field, type] as const),
  );

  test.each(rows)('%s has %s as %s', (name, field, type) => {
    const component = schema.parse(document.components.schemas[name]);
    expect(component.required).toContain(field);
    const { words, nullable } = wordsOf(component.properties?.[field] ?? {});
    expect(words).toContain(type.replace('?', ''));
    expect(nullable).toBe(type.endsWith('?'));
  });
});

describe('inputs', () => {
  const rows = rowsOf(inputs).flatMap(([operation, list]) =>
    list.map(([field = '', type = '']) => [operation, field, type] as const),
  );

  test.each(rows)('%s takes %s as %s', (operation, field, type) => {
    const described = z
      .looseObject({
        requestBody: z.looseObject({ content: z.record(z.string(), z.looseObject({ schema })) }),
      })
      .parse(describedOperation(operation));
    const [content] = Object.values(described.requestBody.content);
    const body = resolve(content?.schema ?? {});
    const property = body.properties?.[field.replace('!', '')];
    expect(property).toBeDefined();
    const { words, nullable } = wordsOf(property ?? {});
    expect(words).toContain(type.replace('?', ''));
    expect(nullable || !type.endsWith('?')).toBe(true);
    expect(body.required?.includes(field.replace('!', '')) ?? false).toBe(field.endsWith('!'));
  });

  test('the campaign list is paged from 1, by 1 to 100', () => {
    const { parameters } = z
      .looseObject({ parameters: z.array(z.unknown()) })
      .parse(describedOperation('GET /api/v1/campaigns'));
    expect(parameters.slice(0, 2)).toMatchObject([
      { name: 'page', in: 'query', required: false, schema: { type: 'integer', minimum: 1, default: 1 } },
      {
        name: 'size',
        in: 'query',
        required: false,
        schema: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
      },
    ]);
  });
});

test('both credentials are declared, and every operation takes either', () => {
  expect(document['security']).toEqual([{ apiKey: [] }, { bearer: [] }]);
  expect(document.components['securitySchemes']).toEqual({
    apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
    bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  });
});

describe('types for generators', () => {
  const bodies = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { responses }]) => {
      const body = responses['200']?.content?.['application/json']?.schema;
      return body === undefined ? [] : [[`${method} ${path}`, resolve(schema.parse(body))] as const];
    }),
  );

  test('no success is null, nor its message or meta', () => {
    const nullable = bodies.filter(([, { properties = {} }]) =>
      ['data', 'message', 'meta'].some((name) => wordsOf(properties[name] ?? {}).nullable),
    );
    expect(bodies.length).toBeGreaterThan(80);
    expect(nullable.map(([operation]) => operation)).toEqual([]);
  });

  test('each type of event has a webhook with a schema of its own, by which an event tells itself apart', () => {
    const webhook = z.object({
      post: z.looseObject({
        requestBody: z.looseObject({
          content: z.object({
            'application/json': z.object({
              schema: z.object({ $ref: z.string() }),
              example: z.looseObject({ type: z.string(), data: z.looseObject({}) }),
            }),
          }),
        }),
      }),
    });
    const webhooks = z.record(z.string(), webhook).parse(document['webhooks']);
    expect(Object.keys(webhooks).toSorted()).toEqual([...eventTypes, 'webhook.test'].toSorted());
    const { discriminator } = z
      .looseObject({
        discriminator: z.object({ propertyName: z.string(), mapping: z.record(z.string(), z.string()) }),
      })
      .parse(document.components.schemas['Event']);
    for (const type of eventTypes) {
      const { schema: own, example } = webhooks[type]?.post.requestBody.content['application/json'] ?? {};
      expect(example?.type).toBe(type);
      expect(discriminator.mapping[type]).toBe(own?.$ref);
      expect(resolve(schema.parse(own)).properties?.['type']).toMatchObject({ const: type });
    }
  });

  test('a default that is an object has every member that has a default', () => {
    const partial: string[] = [];
    const look = (value: unknown, path: string): void => {
      if (typeof value !== 'object' || value === null) return;
      const known = z
        .looseObject({ default: z.looseObject({}), properties: z.looseObject({}) })
        .safeParse(value);
      if (
        known.success &&
        Object.keys(known.data.properties).some((name) => !Object.hasOwn(known.data.default, name))
      ) {
        partial.push(path);
      }
      for (const [name, inner] of Object.entries(value)) look(inner, `${path}.${name}`);
    };
    look(document.components.schemas, 'schemas');
    expect(partial).toEqual([]);
  });
});

const content = z.record(z.string(), z.looseObject({ schema: z.unknown(), example: z.unknown().optional() }));
const described = z.looseObject({
  requestBody: z.looseObject({ content }).optional(),
  responses: z.record(z.string(), z.looseObject({ content: content.optional() })),
});

const examples = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).flatMap(([method, operation]) => {
    const { requestBody, responses } = described.parse(operation);
    const at = ['paths', path, method];
    const sent = Object.entries(requestBody?.content ?? {}).map(([type, { example }]) => ({
      place: [...at, 'requestBody', 'content', type, 'schema'],
      example,
    }));
    const answer = responses['200']?.content?.['application/json'];
    if (answer === undefined) return sent;
    const place = [...at, 'responses', '200', 'content', 'application/json', 'schema'];
    return [...sent, { place, example: answer.example }];
  }),
);

test('there is an example of everything that is sent and answered', () => {
  expect(examples.length).toBeGreaterThan(90);
  expect(examples.filter(({ example }) => example === undefined || example === null)).toEqual([]);
});

test.each(examples)('the example of $place is what its schema says', ({ place, example }) => {
  expect(client.faultsOf(example, place)).toBeNull();
});

/** Numbers reserved for fiction: +1 555 has no subscribers; Ofcom reserves 020 7946 0 for drama. */
const fiction = /^\+(1555\d{7}|442079460\d{3})$/;

test('no example has a number that rings somewhere', () => {
  const numbers = JSON.stringify(document).match(/\+\d{7,15}/g) ?? [];
  expect(numbers.length).toBeGreaterThan(20);
  expect([...new Set(numbers)].filter((number) => !fiction.test(number))).toEqual([]);
});

test('every parameter of a query has a type', () => {
  const untyped = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.values(item).flatMap((operation) =>
      z
        .looseObject({ parameters: z.array(z.looseObject({ name: z.string(), schema: z.looseObject({}) })) })
        .parse(operation)
        .parameters.filter(
          ({ schema: type }) => !('type' in type || 'anyOf' in type || '$ref' in type || 'enum' in type),
        )
        .map(({ name }) => `${path}?${name}`),
    ),
  );
  expect(untyped).toEqual([]);
});
