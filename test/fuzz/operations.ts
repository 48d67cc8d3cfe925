import { randomUUID } from 'node:crypto';
import type { Role } from '@outdial/db';
import type { Tenant } from '../attack/tenant.ts';
import { encodeBody } from './encodings.ts';
import { eventTarget } from './event-target.ts';
import { type JsonSchema, readSchemas } from './from-schema.ts';
import { type Header, headerText, hostileToken, oddHeaders } from './headers.ts';
import { hostileText } from './hostile-values.ts';
import { jsonText } from './json-text.ts';
import { hostileForm } from './multipart.ts';
import { pageTargets } from './page-targets.ts';
import type { FuzzTarget, OperationObject, Surroundings } from './target.ts';
import { framed, oddSegment, queryText } from './wire.ts';

/** Every operation of the OpenAPI document, three times as often as the pages of operators. */
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
      // Half the requests match their schemas, so that they create objects for other requests to find.
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
        const below = /\{(\w+)\}\/\w+\/\{(\w+)\}/.exec(path);
        // Usually an existing pair: two independent picks would rarely belong together.
        const last = below?.[2] === undefined ? undefined : ids.pick(below[2]);
        const together: Record<string, string | undefined> = {};
        if (below !== null && last !== undefined && random.chance(0.8)) {
          together[below[1] ?? ''] = ids.above(last);
          together[below[2] ?? ''] = last;
        }
        const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => {
          if (random.chance(hostility / 2)) return oddSegment(random);
          if (name === 'phone_number') {
            const kind = path.includes('/suppressions/') ? 'suppressed' : 'phone_number';
            return encodeURIComponent(ids.pick(kind) ?? '+15551234567');
          }
          return together[name] ?? ids.pick(name) ?? randomUUID();
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
        if (random.chance(hostility / 2)) {
          parts.push(
            random.pick(['__proto__[a]=1', 'a[b][c]=1', '&&&', '%', 'limit[]=1', 'x'.repeat(8_000)]),
          );
        }
        return parts.length === 0 ? '' : `?${parts.join('&')}`;
      }
      function bodyOf(): { headers: Header[]; bytes: Buffer } | null {
        const contents = Object.entries(operation.requestBody?.content ?? {});
        const [first, ...others] = contents;
        if (first === undefined) return random.chance(0.02) ? framed(random, Buffer.from('{}'), []) : null;
        const [kind, { schema }] = random.pick([first, ...others]);
        if (kind.startsWith('multipart/')) {
          const form = hostileForm(random, formParts(schema), hostility);
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
      function formParts(form: JsonSchema): Record<string, string> {
        const parts: Record<string, string> = {};
        for (const [name, field] of Object.entries(form.properties ?? {})) {
          const isLeftOut = form.required?.includes(name) === true ? hostility / 2 : 0.5;
          if (field.contentMediaType !== undefined || random.chance(isLeftOut)) continue;
          const value = schemas.field(name, field, hostility);
          // Null means that the part is absent.
          if (value !== null) parts[name] = typeof value === 'string' ? value : jsonText(value);
        }
        if (path.endsWith('/campaigns/import')) {
          const campaign = schemas.value({ $ref: '#/components/schemas/CreateCampaign' }, hostility);
          // The file contains the recipients.
          const fields =
            typeof campaign === 'object' && campaign !== null
              ? { ...campaign, phone_numbers: undefined }
              : campaign;
          parts['campaign'] = jsonText(hostility === 0 ? withoutNothing(fields) : fields);
          delete parts['mapping'];
          if (random.chance(0.3)) {
            parts['mapping'] = jsonText(
              random.chance(0.7) ? { phone: 'phone_number', name: 'name' } : schemas.value({}, 0.5),
            );
          }
        }
        if (random.chance(hostility)) {
          parts[random.pick(['dry_run', 'name', 'notes', 'reason', 'mapping'])] = hostileText(random);
        }
        return parts;
      }
    },
  };
}

function credential(around: Surroundings, tenant: Tenant, hostility: number): Header[] {
  const { random, signing } = around;
  if (random.chance(0.04)) {
    return [['Authorization', `Bearer ${hostileToken(random, signing, tenant.organizationId)}`]];
  }
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
