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

/** The operations beyond the interface's tables. */
const additions = [
  'GET /api/v1/knowledge-base/{kb_id}/search',
  'GET /api/v1/calls',
  'PUT /api/v1/calls/{call_id}',
  'POST /api/v1/calls/{call_id}/hang-up',
  'GET /api/v1/calls/{call_id}/receipt',
  'GET /api/v1/receipt-seals',
  'GET /api/v1/receipt-proofs/{subject_id}',
  'POST /api/v1/campaigns/{campaign_id}/forecast',
  'GET /api/v1/campaigns/{campaign_id}/refusals',
  'GET /api/v1/campaigns/{campaign_id}/recipients/{recipient_id}/explain',
  'GET /api/v1/tags',
  'GET /api/v1/agents',
  'POST /api/v1/agents',
  'PUT /api/v1/agents/{agent_id}',
  'DELETE /api/v1/agents/{agent_id}',
  'POST /api/v1/agents/{agent_id}/prompts',
  'POST /api/v1/agents/{agent_id}/web-call',
  'GET /api/v1/agents/{agent_id}/prompts',
  'GET /api/v1/audit-log',
  'GET /api/v1/campaigns/{campaign_id}/config',
  'GET /api/v1/campaigns/{campaign_id}/progress',
  'GET /api/v1/campaigns/{campaign_id}/recipients',
  'GET /api/v1/suppressions',
  'POST /api/v1/suppressions',
  'DELETE /api/v1/suppressions/{phone_number}',
  'POST /api/v1/suppressions/import',
  'GET /api/v1/organization',
  'GET /api/v1/consents',
  'POST /api/v1/consents',
  'POST /api/v1/consents/import',
  'POST /api/v1/consents/{consent_id}/revoke',
  'GET /api/v1/number-changes',
  'POST /api/v1/number-changes/import',
  'DELETE /api/v1/number-changes/{change_id}',
  'GET /api/v1/scrub-lists',
  'POST /api/v1/scrub-lists/import',
  'DELETE /api/v1/scrub-lists/{list_name}',
  'GET /api/v1/disclosures',
  'GET /api/v1/caller-ids',
  'POST /api/v1/caller-ids',
  'GET /api/v1/caller-ids/{caller_id}',
  'PUT /api/v1/caller-ids/{caller_id}',
  'DELETE /api/v1/caller-ids/{caller_id}',
  'GET /api/v1/people/{phone_number}/consents',
  'GET /api/v1/people/{phone_number}/defense',
  'POST /api/v1/people/import',
  'GET /api/v1/number-queries',
  'POST /api/v1/number-queries/import',
  'GET /api/v1/people/{phone_number}/export',
  'POST /api/v1/erasures',
  'GET /api/v1/erasures',
  'GET /api/v1/erasures/{erasure_id}',
  'GET /api/v1/users',
  'POST /api/v1/users',
  'GET /api/v1/users/{user_id}',
  'PUT /api/v1/users/{user_id}',
  'POST /api/v1/users/{user_id}/sign-in-link',
  'GET /api/v1/api-keys',
  'POST /api/v1/api-keys',
  'DELETE /api/v1/api-keys/{key_id}',
  'POST /api/v1/api-keys/{key_id}/rotate',
  'PUT /api/v1/organization',
  'GET /api/v1/usage',
  'POST /api/v1/campaigns/{campaign_id}/recipients',
  'DELETE /api/v1/campaigns/{campaign_id}/recipients/{recipient_id}',
  'POST /api/v1/campaigns/{campaign_id}/recipients/retry',
  'GET /api/v1/campaigns/{campaign_id}/calls',
  'DELETE /api/v1/campaigns/{campaign_id}',
  'PUT /api/v1/knowledge-base/{kb_id}/items/{item_id}',
  'DELETE /api/v1/knowledge-base/{kb_id}/items/{item_id}',
  'GET /api/v1/events',
  'GET /api/v1/webhook-endpoints',
  'POST /api/v1/webhook-endpoints',
  'GET /api/v1/webhook-endpoints/{endpoint_id}',
  'PUT /api/v1/webhook-endpoints/{endpoint_id}',
  'DELETE /api/v1/webhook-endpoints/{endpoint_id}',
  'POST /api/v1/webhook-endpoints/{endpoint_id}/rotate-secret',
  'POST /api/v1/webhook-endpoints/{endpoint_id}/test',
  'GET /api/v1/webhook-endpoints/{endpoint_id}/deliveries',
  'POST /api/v1/webhook-endpoints/{endpoint_id}/redeliver',
  'POST /api/v1/webhook-deliveries/{delivery_id}/redeliver',
  'GET /api/v1/campaigns/{campaign_id}/export',
  'POST /api/v1/campaigns/import',
  'GET /api/v1/campaigns/{campaign_id}/stream',
];

test('has exactly the operations of the interface', () => {
  const described = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const expected = [...operationRows.map(([operation]) => operation), ...additions];
  expect(described.toSorted()).toEqual(expected.toSorted());
});

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

  test('a recording is audio, whole or in part', () => {
    const { responses } = describedOperation('GET /api/v1/calls/{call_id}/recording');
    expect(Object.keys(responses['200']?.content ?? {})).toEqual(['audio/*']);
    expect(Object.keys(responses)).toEqual([
      '200',
      '206',
      '400',
      '401',
      '404',
      '416',
      '422',
      '429',
      '500',
      '503',
    ]);
  });
});

describe('errors', () => {
  const cases = operationRows.map(([operation]) => {
    const withBody = /^(POST|PUT)/.test(operation) ? ['400', '403', '413', '415'] : [];
    const withId = operation.includes('{') ? ['404'] : [];
    return [operation, ['401', '422', '429', ...withBody, ...withId]] as const;
  });

  test.each(cases)('%s may answer %s', (operation, statuses) => {
    const described = Object.keys(describedOperation(operation).responses);
    expect(described).toEqual(expect.arrayContaining([...statuses]));
  });

  const withKey = Object.values(document.paths)
    .flatMap((path) => Object.values(path))
    .filter(({ parameters = [] }) => parameters.some(({ name }) => name === 'Idempotency-Key'));
  test.each(withKey)('$operationId may answer 400 and 409 for its Idempotency-Key', ({ responses }) => {
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '409']));
  });
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
