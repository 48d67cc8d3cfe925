import { randomUUID } from 'node:crypto';
import type { Role } from '@outdial/db';
import { Webhook } from 'standardwebhooks';
import type { Random } from '../chaos/random.ts';
import type { Tenant } from '../attack/tenant.ts';
import { encodeBody } from './encodings.ts';
import { type JsonSchema, readSchemas } from './from-schema.ts';
import { type Header, headerText, hostileToken, oddHeaders, type Signing } from './headers.ts';
import { hostileText } from './hostile-values.ts';
import { jsonText } from './json-text.ts';
import { KnownIds } from './known-ids.ts';
import { hostileForm } from './multipart.ts';
import type { RawRequest } from './raw-request.ts';

export interface ApiDocument {
  paths: Record<string, Record<string, OperationObject>>;
  components: { schemas: Record<string, JsonSchema> };
}

interface OperationObject {
  operationId: string;
  parameters?: Array<{ in: string; name: string; schema?: JsonSchema }>;
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
}

/** What a request is made of, for one kind of it. */
export interface FuzzTarget {
  name: string;
  make(tenant: Tenant): RawRequest;
}

export interface Surroundings {
  random: Random;
  document: ApiDocument;
  ids: KnownIds;
  signing: Signing;
  operators: { user: string; password: string };
  gateway: { name: string; secret: string };
}

/** Every operation of the document, each several times as often as the pages of operators and the events of providers. */
export function fuzzTargets(around: Surroundings): FuzzTarget[] {
  const operations = Object.entries(around.document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => operationTarget(around, { path, method, operation })),
  );
  return [
    ...operations,
    ...operations,
    ...operations,
    ...pageTargets(around),
    eventTarget(around),
    eventTarget(around),
  ];
}

function operationTarget(
  around: Surroundings,
  { path, method, operation }: { path: string; method: string; operation: OperationObject },
): FuzzTarget {
  const { random, document, ids } = around;
  const schemas = readSchemas(random, document.components.schemas, (field) => ids.pick(field));
  return {
    name: operation.operationId,
    make(tenant) {
      // Half are right but for what their schemas cannot tell, so that there is something that others meet.
      const hostility = random.pick([0, 0, 0.02, 0.1, 0.3]);
      const parameters = operation.parameters ?? [];
      const body = bodyOf();
      const headers: Header[] = [
        ['Host', 'fuzz.example'],
        ['Connection', 'close'],
        ...credential(around, tenant, hostility),
        ...(body === null ? [] : body.headers),
        ...parameters
          .filter((parameter) => parameter.in === 'header' && random.chance(0.2))
          .map(({ name }): Header => [name, headerText(hostileText(random))]),
        ...(random.chance(0.4) ? oddHeaders(random) : []),
      ];
      return {
        method: methodOf(),
        target: `${pathOf()}${queryOf(parameters)}`,
        headers,
        body: body?.bytes ?? null,
      };

      function methodOf(): string {
        return random.chance(0.01)
          ? random.pick(['PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'])
          : method.toUpperCase();
      }
      function pathOf(): string {
        const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
          if (random.chance(hostility / 2)) return oddSegment(random);
          if (name === 'phone_number') {
            const kind = path.includes('/suppressions/') ? 'suppressed' : 'phone_number';
            return encodeURIComponent(ids.pick(kind) ?? '+15551234567');
          }
          return ids.pick(name) ?? randomUUID();
        });
        return random.chance(0.05) ? `${filled}/` : filled;
      }
      function queryOf(all: NonNullable<OperationObject['parameters']>): string {
        const parts: string[] = [];
        for (const { name, schema = {} } of all.filter((parameter) => parameter.in === 'query')) {
          if (random.chance(0.6)) continue;
          const times = random.chance(hostility / 3) ? random.between(2, 1_200) : 1;
          for (let left = times; left > 0; left--) {
            const value = schemas.value(schema, hostility);
            parts.push(`${name}=${queryText(random, typeof value === 'string' ? value : jsonText(value))}`);
          }
        }
        if (random.chance(hostility / 2))
          parts.push(
            random.pick(['__proto__[a]=1', 'a[b][c]=1', '&&&', '%', 'limit[]=1', 'x'.repeat(8_000)]),
          );
        return parts.length === 0 ? '' : `?${parts.join('&')}`;
      }
      function bodyOf(): { headers: Header[]; bytes: Buffer } | null {
        const contents = Object.entries(operation.requestBody?.content ?? {});
        const [first, ...others] = contents;
        if (first === undefined) return random.chance(0.02) ? framed(random, Buffer.from('{}'), []) : null;
        const [kind, { schema }] = random.pick([first, ...others]);
        if (kind.startsWith('multipart/')) {
          const form = hostileForm(random, formParts(), hostility);
          return framed(random, form.body, [['Content-Type', form.contentType]]);
        }
        const text = jsonText(schemas.value(schema, hostility));
        const encoded = encodeBody(random, Buffer.from(text));
        return framed(
          random,
          hostility === 0 && encoded.label === undefined ? Buffer.from(text) : encoded.bytes,
          [
            ['Content-Type', 'application/json'],
            ...(encoded.label === undefined ? [] : [['Content-Encoding', encoded.label] as const]),
          ],
        );
      }
      function formParts(): Record<string, string> {
        const parts: Record<string, string> = {};
        if (path.endsWith('/campaigns/import')) {
          const campaign = schemas.value({ $ref: '#/components/schemas/CreateCampaign' }, hostility);
          // The people come with the file.
          const fields =
            typeof campaign === 'object' && campaign !== null
              ? { ...campaign, phone_numbers: undefined }
              : campaign;
          parts['campaign'] = jsonText(hostility === 0 ? withoutNothing(fields) : fields);
          if (random.chance(0.3))
            parts['mapping'] = jsonText(
              random.chance(0.7) ? { phone: 'phone_number', name: 'name' } : schemas.value({}, 0.5),
            );
        }
        for (const [name, right] of Object.entries(
          path.endsWith('/import')
            ? { dry_run: 'false', country: 'US' }
            : { name: 'Hours', notes: 'Of the door' },
        )) {
          if (random.chance(0.2)) parts[name] = random.chance(hostility) ? hostileText(random) : right;
        }
        if (random.chance(hostility))
          parts[random.pick(['dry_run', 'name', 'notes', 'reason', 'mapping'])] = hostileText(random);
        return parts;
      }
    },
  };
}

/** With the length that it has, in chunks, or with one that it has not. */
function framed(
  random: Random,
  body: Buffer,
  headers: readonly Header[],
): { headers: Header[]; bytes: Buffer } {
  if (random.chance(0.1)) {
    const chunk = Buffer.concat([
      Buffer.from(`${body.length.toString(16)}\r\n`),
      body,
      Buffer.from('\r\n0\r\n\r\n'),
    ]);
    return {
      headers: [...headers, ['Transfer-Encoding', 'chunked']],
      bytes: body.length === 0 ? Buffer.from('0\r\n\r\n') : chunk,
    };
  }
  return { headers: [...headers, ['Content-Length', String(body.length)]], bytes: body };
}

function credential(around: Surroundings, tenant: Tenant, hostility: number): Header[] {
  const { random, signing } = around;
  if (random.chance(0.04))
    return [['Authorization', `Bearer ${hostileToken(random, signing, tenant.organizationId)}`]];
  if (random.chance(hostility / 6)) {
    return [
      [
        random.pick(['X-API-Key', 'Authorization']),
        random.pick([headerText(hostileText(random)), 'Bearer a.b.c', `Basic ${'A'.repeat(99)}`, 'Bearer']),
      ],
    ];
  }
  return [
    [
      'X-API-Key',
      tenant.keys[random.chance(0.85) ? 'admin' : random.pick<Role>(['manager', 'member', 'viewer'])],
    ],
  ];
}

function withoutNothing(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function oddSegment(random: Random): string {
  const text = hostileText(random).slice(0, 3_000);
  return random.chance(0.5)
    ? encodeURIComponent(text.toWellFormed())
    : Buffer.from(text.replaceAll(/[\s\0?#]/g, ''), 'utf8').toString('latin1');
}

function queryText(random: Random, text: string): string {
  const short = text.slice(0, 6_000);
  return random.chance(0.1)
    ? Buffer.from(short.replaceAll(/[\s\0#&]/g, '')).toString('latin1')
    : encodeURIComponent(short.toWellFormed());
}

function pageTargets({ random, operators }: Surroundings): FuzzTarget[] {
  const paths = [
    '/healthz',
    '/readyz',
    '/metrics',
    '/openapi.json',
    '/docs',
    '/',
    '/ops/queues',
    '/ops/queues/api/queues',
    '/ops/queues/queue/x',
    '/ops/queues/api/queues/place-call/1',
    '/ops/queues/api/queues/x/clean/y',
    '/ops/queues/static/../../../etc/passwd',
    '/api/v1/none',
    '*',
  ];
  return paths.map((path) => ({
    name: path,
    make: () => {
      const basic = Buffer.from(
        `${operators.user}:${random.chance(0.9) ? operators.password : hostileText(random)}`,
      ).toString('base64');
      const query = random.chance(0.3)
        ? `?${random.pick(['activeQueue', 'status', 'page', 'jobsPerPage', 'a'])}=${queryText(random, hostileText(random))}`
        : '';
      const tail = random.chance(0.1) && path !== '*' ? `/${oddSegment(random)}` : '';
      const method = random.pick(['GET', 'GET', 'GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH']);
      const body =
        /P/.test(method) && random.chance(0.5)
          ? framed(random, Buffer.from(jsonText({ a: hostileText(random) })), [
              ['Content-Type', 'application/json'],
            ])
          : null;
      return {
        method,
        target: `${path}${tail}${query}`,
        headers: [
          ['Host', 'fuzz.example'],
          ['Connection', 'close'],
          ...(random.chance(0.8) ? [['Authorization', `Basic ${basic}`] as const] : []),
          ...(body?.headers ?? []),
          ...oddHeaders(random),
        ],
        body: body?.bytes ?? null,
      };
    },
  }));
}

/** What a gateway tells, whose signature is good whatever it says. */
function eventTarget({ random, ids, gateway }: Surroundings): FuzzTarget {
  const data: JsonSchema = {
    type: 'object',
    properties: {
      outcome: { enum: ['completed', 'no_answer', 'busy', 'voicemail', 'failed', 'unknown'] },
      duration: { type: 'number', maximum: Number.MAX_SAFE_INTEGER },
      cost: { type: 'number', maximum: Number.MAX_SAFE_INTEGER },
      transcript: { type: 'string' },
      recording_url: { type: 'string' },
      call_extract: { type: 'object' },
      external_status: { type: 'string' },
      conversation_id: { type: 'string' },
    },
    required: ['outcome'],
  };
  const event: JsonSchema = {
    type: 'object',
    properties: {
      event_id: { type: 'string' },
      call_id: { type: 'string', format: 'uuid' },
      type: {
        enum: [
          'call.ringing',
          'call.answered',
          'call.ended',
          'call.transcript',
          'call.recording',
          'call.else',
        ],
      },
      occurred_at: { type: 'string', format: 'date-time' },
      data,
    },
    required: ['event_id', 'call_id', 'type', 'data', 'occurred_at'],
  };
  const schemas = readSchemas(random, {}, (field) => ids.pick(field));
  return {
    name: 'provider-events',
    make() {
      const body = jsonText(schemas.value(event, random.pick([0, 0.05, 0.2])));
      const bytes = Buffer.from(body);
      const at = new Date();
      const id = random.chance(0.9) ? `evt_${randomUUID()}` : headerText(hostileText(random)).slice(0, 300);
      const signature = new Webhook(gateway.secret).sign(id, at, bytes.toString('utf8'));
      const path = random.chance(0.95) ? gateway.name : oddSegment(random);
      return {
        method: 'POST',
        target: `/provider-events/${path}`,
        headers: [
          ['Host', 'fuzz.example'],
          ['Connection', 'close'],
          ['Content-Type', 'application/json'],
          ['Content-Length', String(bytes.length)],
          ['webhook-id', id],
          ['webhook-timestamp', String(Math.floor(at.getTime() / 1_000))],
          ['webhook-signature', signature],
          ...(random.chance(0.1) ? oddHeaders(random) : []),
        ],
        body: bytes,
      };
    },
  };
}
