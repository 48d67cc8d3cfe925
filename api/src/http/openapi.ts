import {
  codedErrorBody,
  created,
  deleted,
  eventMessages,
  got,
  roles,
  testMessage,
  updated,
  validationErrorBody,
} from '@outdial/contracts';
import { z } from 'zod';
import type { BinaryResponse, Route, RouteDefinition } from './define-route.ts';
import { exampleOf, isObject } from './openapi-example.ts';

type Json = Record<string, unknown>;

/** Builds the OpenAPI 3.1 document from the definitions that the server mounts. */
export function openApiDocument(
  routes: readonly Route[],
  options: { version: string; serverUrl: string },
): Json {
  const components = new SchemaComponents();
  const paths: Record<string, Json> = {};
  for (const { definition } of routes) {
    const item = (paths[definition.path] ??= {});
    item[definition.method] = operation(definition, components);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Outdial',
      version: options.version,
      description:
        'The API of Outdial, for the calls, agents, campaigns and knowledge bases of your organization. Every path works with and without a trailing slash.',
    },
    servers: [{ url: options.serverUrl }],
    security: [{ apiKey: [] }, { bearer: [] }],
    tags: [...new Set(routes.map((route) => route.definition.tag))].map((name) => ({ name })),
    paths,
    webhooks: webhooks(components),
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      },
      schemas: components.all(),
    },
  };
}

/** One entry for each type of event, so that generators make a type of each. */
function webhooks(components: SchemaComponents): Json {
  return Object.fromEntries(
    Object.entries({ ...eventMessages, 'webhook.test': testMessage }).map(([type, message]) => {
      const schema = components.describe(message, 'output');
      const post = {
        operationId: `on_${type.replaceAll('.', '_')}`,
        summary: `An event of the type ${type}`,
        tags: ['webhooks'],
        // Signed instead (Standard Webhooks).
        security: [],
        requestBody: {
          required: true,
          content: { 'application/json': { schema, example: components.exampleOf(schema) } },
        },
        responses: { '2XX': { description: 'The event has been received' } },
      };
      return [type, { post }];
    }),
  );
}

/** Schemas with an id (`.meta({ id })`), collected while operations are described. */
class SchemaComponents {
  readonly #schemas: Record<string, unknown> = {};
  /** Shared by most operations: errors, and many bodies. */
  readonly #described = { input: new Map<z.ZodType, Json>(), output: new Map<z.ZodType, Json>() };

  /** Requests are described before parsing (`input`), answers after it (`output`). */
  describe(schema: z.ZodType, io: 'input' | 'output'): Json {
    const known = this.#described[io].get(schema);
    if (known !== undefined) return known;
    const described = this.#describe(schema, io);
    this.#described[io].set(schema, described);
    return described;
  }

  #describe(schema: z.ZodType, io: 'input' | 'output'): Json {
    const described = z.toJSONSchema(schema, {
      target: 'draft-2020-12',
      io,
      unrepresentable: 'any',
      // zod omits them for transformed values; our values are sent as they are written.
      override({ zodSchema, jsonSchema }) {
        const { examples } = z.globalRegistry.get(zodSchema) ?? {};
        if (Array.isArray(examples)) jsonSchema.examples ??= examples;
      },
    });
    // JSON Schema is plain data, so its references are replaced in its text.
    const moved: unknown = JSON.parse(
      JSON.stringify(described).replaceAll('"#/$defs/', '"#/components/schemas/'),
    );
    const {
      $schema: _,
      $defs: definitions,
      ...rest
    } = z.looseObject({ $defs: z.record(z.string(), z.unknown()).optional() }).parse(moved);
    Object.assign(this.#schemas, dropPartialDefaults(definitions ?? {}));
    return dropPartialDefaults(rest);
  }

  resolve(described: Json): Json {
    const { $ref: reference } = described;
    if (typeof reference !== 'string') return described;
    const id = reference.slice(reference.lastIndexOf('/') + 1);
    return z.record(z.string(), z.unknown()).parse(this.#schemas[id]);
  }

  /** An example for a schema, from the examples of its parts. */
  exampleOf(described: Json): unknown {
    return exampleOf(described, (reference) => this.resolve(reference));
  }

  all(): Record<string, unknown> {
    return Object.fromEntries(Object.entries(this.#schemas).toSorted(([a], [b]) => a.localeCompare(b)));
  }
}

/** Removes defaults that are objects without all members that have a default of their own: `{}` means that each of them applies, but generators take it for the value. */
function dropPartialDefaults<Value>(value: Value): Value {
  if (Array.isArray(value)) for (const item of value) dropPartialDefaults(item);
  if (!isObject(value)) return value;
  const { default: given, properties } = value;
  if (
    isObject(given) &&
    isObject(properties) &&
    Object.keys(properties).some((name) => !Object.hasOwn(given, name))
  ) {
    delete value['default'];
  }
  for (const inner of Object.values(value)) dropPartialDefaults(inner);
  return value;
}

function operation(definition: RouteDefinition, components: SchemaComponents): Json {
  const missingRoles = definition.roles.length < roles.length;
  return {
    operationId: definition.operationId,
    summary: definition.summary,
    description: [
      definition.description,
      missingRoles ? `Requires one of the roles ${definition.roles.join(', ')}.` : undefined,
    ]
      .filter((part) => part !== undefined)
      .join('\n\n'),
    tags: [definition.tag],
    parameters: [
      ...parameters('path', definition.params, components),
      ...parameters('query', withoutNamesOf(definition.params, definition.query), components),
      ...Object.entries({
        ...definition.headers,
        ...(definition.method === 'put' ? conditionalHeader : {}),
      }).map(([name, header]) => ({
        name,
        in: 'header',
        required: false,
        description: header.description,
        schema: { type: 'string' },
      })),
    ],
    ...requestBody(definition, components),
    responses: { ...successes(definition, components), ...failures(definition, components) },
  };
}

/** Generators name arguments after parameters, so a filter with the name of a path parameter, which could only repeat it, is not described. */
function withoutNamesOf(
  path: z.ZodObject | undefined,
  query: z.ZodObject | undefined,
): z.ZodObject | undefined {
  const { shape } = path ?? {};
  const kept = Object.entries(query?.shape ?? {}).filter(
    ([name]) => shape === undefined || !Object.hasOwn(shape, name),
  );
  return query === undefined ? undefined : z.object(Object.fromEntries(kept));
}

function parameters(
  place: 'path' | 'query',
  schema: z.ZodObject | undefined,
  components: SchemaComponents,
): Json[] {
  return Object.entries(schema?.shape ?? {}).map(([name, parameter]) => {
    // Parameters are described with their parsed types: a page is an integer, although a URL has text.
    const { description, ...described } = components.describe(parameter as z.ZodType, 'output');
    return {
      name,
      in: place,
      required: place === 'path' || !(parameter as z.ZodType).safeParse(undefined).success,
      ...(description === undefined ? {} : { description }),
      schema: described,
    };
  });
}

function requestBody({ body, upload }: RouteDefinition, components: SchemaComponents): Json {
  if (upload !== undefined) {
    const fields = body === undefined ? {} : components.describe(body, 'input');
    const form = z.looseObject({
      properties: z.record(z.string(), z.unknown()),
      required: z.array(z.string()),
    });
    // A form has the file beside its fields, so the fields are inlined instead of a reference to a component.
    const { properties, required } = form.partial().parse(components.resolve(fields));
    const file = {
      type: 'string',
      contentMediaType: 'application/octet-stream',
      description: upload.description,
    };
    const schema = {
      type: 'object',
      properties: { [upload.field]: file, ...properties },
      required: [...(upload.optional === true ? [] : [upload.field]), ...(required ?? [])],
    };
    const isJsonToo = upload.orJson === true || upload.optional === true;
    const json = isJsonToo
      ? { 'application/json': { schema: fields, example: components.exampleOf(fields) } }
      : {};
    const fieldsExample = components.exampleOf(fields);
    const formContent = {
      schema,
      example: {
        [upload.field]: '(the contents of the file)',
        ...(isObject(fieldsExample) && fieldsExample),
      },
    };
    return { requestBody: { required: true, content: { 'multipart/form-data': formContent, ...json } } };
  }
  if (body === undefined) return {};
  const schema = components.describe(body, 'input');
  const required = !body.safeParse(undefined).success;
  const example = components.exampleOf(schema);
  return { requestBody: { required, content: { 'application/json': { schema, example } } } };
}

const conditionalHeader = {
  'If-Match': {
    description:
      'Makes the change only if the resource still has this `ETag`, of a read or of a change. Otherwise the answer is 412.',
  },
};

/** Tells versions of the resource apart. */
const entityTagHeader = {
  ETag: {
    description: 'The version of the resource, for `If-None-Match` and `If-Match`.',
    schema: { type: 'string' },
  },
};

function successes(definition: RouteDefinition, components: SchemaComponents): Json {
  const { method, response } = definition;
  if (!isBinary(response)) {
    const schema = components.describe(response, 'output');
    const example = components.exampleOf(schema);
    const isEnvelope = isObject(example) && 'message' in example;
    return {
      200: {
        description: 'Success',
        ...(method === 'get' || method === 'put' ? { headers: entityTagHeader } : {}),
        content: {
          'application/json': {
            schema,
            example: isEnvelope ? { ...example, message: messageOf(definition) } : example,
          },
        },
      },
      ...(method === 'get' ? { 304: { description: 'The resource matches `If-None-Match`' } } : {}),
    };
  }
  const types = [response.contentType, ...(response.otherContentTypes ?? [])];
  const content = Object.fromEntries(types.map((type) => [type, { schema: {} }]));
  return {
    200: { description: response.description, content },
    ...(response.ranges ? { 206: { description: 'The requested range', content } } : {}),
  };
}

/** As of `got`, `created`, `updated` and `deleted` of the contracts. */
function messageOf({ method, changesNothing, updates }: RouteDefinition): string {
  if (changesNothing) return got(null).message;
  if (updates) return updated(null).message;
  return { get: got, post: created, put: updated, patch: updated, delete: deleted }[method](null).message;
}

function isBinary(response: z.ZodType | BinaryResponse): response is BinaryResponse {
  return 'kind' in response;
}

const errorDescriptions: Record<number, string> = {
  400: 'The body is malformed',
  401: 'The credential is missing or invalid',
  403: 'The role does not permit this, or `organization_id` is not your organization',
  404: 'Your organization has no resource with this id',
  409: 'The state of the resource does not permit this',
  412: 'The resource has changed since it had the `ETag` in `If-Match`',
  413: 'The body is too large',
  415: 'The media type of the body is not supported',
  416: 'The recording does not have the requested range',
  422: 'The request is invalid',
  429: 'Too many requests',
  500: 'An internal error of the service',
  503: 'The service, or something it depends on, is temporarily unavailable',
};

function failures(definition: RouteDefinition, components: SchemaComponents): Json {
  const hasBody = definition.body !== undefined || definition.upload !== undefined;
  const hasKey = definition.headers?.['Idempotency-Key'] !== undefined;
  // Any operation may answer 422 for an unknown parameter, and 429.
  const statuses = new Set<number>([401, 422, 429, 500, 503, ...(definition.errors ?? [])]);
  if (hasBody) [400, 413, 415].forEach((status) => statuses.add(status));
  if (definition.params !== undefined) {
    // Invalid percent-encoding in a path is a 400.
    [400, 404].forEach((status) => statuses.add(status));
  }
  if (hasKey) [400, 409].forEach((status) => statuses.add(status));
  if (definition.method === 'put') statuses.add(412);
  if (definition.roles.length < roles.length) statuses.add(403);
  return Object.fromEntries(
    [...statuses].toSorted((a, b) => a - b).map((status) => [status, failure(status, components)]),
  );
}

function failure(status: number, components: SchemaComponents): Json {
  const schema = components.describe(status === 422 ? validationErrorBody : codedErrorBody, 'output');
  const headers: Record<number, Json> = {
    401: { 'WWW-Authenticate': { required: true, schema: { type: 'string' } } },
    429: { 'Retry-After': { required: true, schema: { type: 'integer' } } },
    503: { 'Retry-After': { required: true, schema: { type: 'integer' } } },
  };
  const ofStatus = headers[status];
  return {
    description: errorDescriptions[status] ?? 'Error',
    ...(ofStatus === undefined ? {} : { headers: ofStatus }),
    content: { 'application/json': { schema } },
  };
}
