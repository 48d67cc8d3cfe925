import { existsSync, readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import { z } from 'zod';

/** Twilio's OpenAPI document of its calls and recordings. It is outside of the checkout, and a clone may not have it. */
const place = new URL('../../../../shared/twilio-calls.openapi.json', import.meta.url);

const parameter = z.object({ name: z.string(), in: z.enum(['query', 'path', 'header']) });
const formSchema = z.object({
  required: z.array(z.string()).optional(),
  properties: z.record(z.string(), z.looseObject({ type: z.string().optional() })).default({}),
});
const operation = z.object({
  parameters: z.array(parameter).default([]),
  requestBody: z
    .object({ content: z.object({ 'application/x-www-form-urlencoded': z.object({ schema: formSchema }) }) })
    .optional(),
});
const openApi = z.object({
  paths: z.record(z.string(), z.object({ get: operation.optional(), post: operation.optional() })),
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
});

export interface CheckedRequest {
  method: 'GET' | 'POST';
  path: string;
  query: URLSearchParams;
  form: URLSearchParams;
}

export interface PublishedDocument {
  /** How a request differs from the document. */
  requestFaults(request: CheckedRequest): string[];
  /** How an answered resource differs from the document. */
  resourceFaults(
    schema: 'api.v2010.account.call' | 'api.v2010.account.call.call_recording',
    json: object,
  ): string[];
}

/** Null in a clone without the document; requests are then not checked. */
export function readPublishedDocument(): PublishedDocument | null {
  if (!existsSync(place)) return null;
  const json: unknown = JSON.parse(readFileSync(place, 'utf8'));
  const document = openApi.parse(json);
  // Its formats (`date-time-rfc-2822`, `phone-number`, …) are not standard.
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema({ $id: 'twilio', components: document.components });
  const validators = new Map<string, ValidateFunction>();
  const validatorOf = (key: string, make: () => object): ValidateFunction => {
    const known = validators.get(key) ?? ajv.compile(make());
    validators.set(key, known);
    return known;
  };
  const faultsOf = (validate: ValidateFunction, value: unknown, what: string): string[] =>
    validate(value)
      ? []
      : (validate.errors ?? []).map(
          (error) => `${what}${error.instancePath}: ${error.message ?? ''} ${JSON.stringify(error.params)}`,
        );

  return {
    requestFaults({ method, path, query, form }) {
      const template = Object.keys(document.paths).find((one) => patternOf(one).test(path));
      const of = template && document.paths[template]?.[method === 'GET' ? 'get' : 'post'];
      if (!template || !of) return [`${method} ${path}: no such operation`];
      const known = new Set(of.parameters.filter((one) => one.in === 'query').map((one) => one.name));
      const unknown = [...query.keys()].filter((name) => !known.has(name));
      const faults = unknown.map((name) => `${method} ${template}: no query parameter ${name}`);
      if (method === 'GET') return faults;
      const schema = of.requestBody?.content['application/x-www-form-urlencoded'].schema;
      if (!schema) return [...faults, `${method} ${template}: takes no form`];
      const validate = validatorOf(`${method} ${template}`, () => ({
        type: 'object',
        ...rebased(schema),
        additionalProperties: false,
      }));
      return [...faults, ...faultsOf(validate, typed(form, schema.properties), `${method} ${template} `)];
    },
    resourceFaults(schema, value) {
      const validate = validatorOf(schema, () => ({
        ...rebased(z.looseObject({}).parse(document.components.schemas[schema])),
        additionalProperties: false,
      }));
      return faultsOf(validate, value, schema);
    },
  };
}

function patternOf(template: string): RegExp {
  const escaped = template.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/.]+');
  return new RegExp(`^${escaped}$`);
}

/** References are relative to the whole document, and ajv accepts `nullable` only next to a type. */
function rebased(schema: object): object {
  const text = JSON.stringify(schema, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || !('nullable' in value) || 'type' in value) {
      return value;
    }
    const { nullable: _nullable, ...rest } = value;
    return rest;
  });
  return z.looseObject({}).parse(JSON.parse(text.replaceAll('"#/components', '"twilio#/components')));
}

/** Form fields are text; the document has their types. */
function typed(
  form: URLSearchParams,
  properties: Record<string, { type?: string | undefined }>,
): Record<string, unknown> {
  const values = new Map<string, unknown>();
  for (const name of new Set(form.keys())) {
    const all = form.getAll(name);
    const [first = ''] = all;
    values.set(name, typedValue(properties[name]?.type, first, all));
  }
  return Object.fromEntries(values.entries());
}

function typedValue(type: string | undefined, first: string, all: readonly string[]): unknown {
  if (type === 'array') return all;
  if (all.length > 1) return all;
  if (type === 'integer' && /^\d+$/.test(first)) return Number(first);
  if (type === 'boolean' && /^(true|false)$/.test(first)) return first === 'true';
  return first;
}
