import { randomUUID } from 'node:crypto';
import type { Random } from '../chaos/random.ts';
import { hostileText, hostileValue } from './hostile-values.ts';
import { Raw } from './json-text.ts';

/** The part of JSON Schema that the OpenAPI document uses. */
export interface JsonSchema {
  $ref?: string;
  type?: string | readonly string[];
  enum?: readonly unknown[];
  const?: unknown;
  anyOf?: readonly JsonSchema[];
  oneOf?: readonly JsonSchema[];
  allOf?: readonly JsonSchema[];
  properties?: Readonly<Record<string, JsonSchema>>;
  required?: readonly string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  /** For the file in a form. */
  contentMediaType?: string;
}

export interface SchemaReader {
  /** Generates a value that matches the schema. `hostility` is the probability that a value in it is replaced by a hostile one. */
  value(schema: JsonSchema, hostility: number): unknown;
  /** The same for a field, whose name suggests its text. */
  field(name: string, schema: JsonSchema, hostility: number): unknown;
}

/** Levels of nested objects and arrays. */
const deepest = 8;

/** @param known returns the id of an existing object, for fields that name one */
export function readSchemas(
  random: Random,
  schemas: Readonly<Record<string, JsonSchema>>,
  known: (field: string) => string | undefined,
): SchemaReader {
  function value(schema: JsonSchema, hostility: number, field = '', depth = 0): unknown {
    if (random.chance(hostility)) return hostileValue(random);
    if (schema.$ref !== undefined) {
      const name = schema.$ref.split('/').at(-1) ?? '';
      return value(schemas[name] ?? {}, hostility, field, depth);
    }
    if (schema.const !== undefined) return schema.const;
    const [first, ...others] = schema.enum ?? [];
    if (schema.enum !== undefined) return random.pick([first, ...others]);
    const [one, ...more] = schema.anyOf ?? schema.oneOf ?? [];
    if (one !== undefined) return value(random.pick([one, ...more]), hostility, field, depth);
    if (schema.allOf !== undefined) {
      return Object.assign({}, ...schema.allOf.map((part) => value(part, hostility, field, depth)));
    }
    return ofType(schema, hostility, field, depth);
  }

  function ofType(schema: JsonSchema, hostility: number, field: string, depth: number): unknown {
    const [first = 'object', ...others] = [schema.type ?? []].flat();
    switch (random.pick([first, ...others])) {
      case 'null':
        return null;
      case 'boolean':
        return random.chance(0.5);
      case 'integer':
        return within(schema, true);
      case 'number':
        return within(schema, false);
      case 'string':
        return text(schema, field);
      case 'array':
        return Array.from(
          {
            length:
              depth < deepest ? Math.min(random.between(schema.minItems ?? 0, 3), schema.maxItems ?? 3) : 0,
          },
          () => value(schema.items ?? { type: 'string' }, hostility, field, depth + 1),
        );
      default:
        return object(schema, hostility, depth);
    }
  }

  function object(schema: JsonSchema, hostility: number, depth: number): Record<string, unknown> {
    const members: Record<string, unknown> = {};
    for (const [name, member] of Object.entries(schema.properties ?? {})) {
      const isRequired = schema.required?.includes(name) === true;
      if (isRequired ? random.chance(hostility / 2) : random.chance(0.4)) continue;
      // A schema may refer to itself, as the schema of JSON schemas does.
      if (depth >= deepest && !isRequired) continue;
      members[name] = value(member, hostility, name, depth + 1);
    }
    if (schema.properties === undefined && depth < 4) {
      const inner =
        typeof schema.additionalProperties === 'object' ? schema.additionalProperties : { type: 'string' };
      for (let left = random.between(0, 2); left > 0; left--) {
        const name = random.pick(['name', 'voice', 'city', 'telephony', 'recipients', 'timezone']);
        members[name] = value(inner, hostility, name, depth + 1);
      }
    }
    if (random.chance(hostility)) {
      Object.defineProperty(members, hostileText(random), { value: hostileValue(random), enumerable: true });
    }
    return members;
  }

  function within(schema: JsonSchema, isWhole: boolean): unknown {
    const least = schema.minimum ?? (schema.exclusiveMinimum === undefined ? 0 : schema.exclusiveMinimum);
    const most = Math.min(schema.maximum ?? least + 100, Number.MAX_SAFE_INTEGER);
    // Bounds are the values most likely to break the engine.
    const chosen = random.pick([
      least,
      most,
      least + (most - least) * random.next(),
      Math.min(least + 1, most),
    ]);
    if (isWhole) return Math.round(chosen);
    return chosen === schema.exclusiveMinimum ? new Raw('5e-324') : chosen;
  }

  function text(schema: JsonSchema, field: string): string {
    if (/(^|_)ids?$/.test(field) || schema.format === 'uuid') {
      return (random.chance(0.8) ? known(field) : undefined) ?? randomUUID();
    }
    if (/phone/.test(field)) return `+1555${random.between(1_000_000, 9_999_999)}`;
    if (field.endsWith('time')) return random.pick(['09:00', '17:30', '00:00', '23:59']);
    if (/timezone|time_zone/.test(field)) return random.pick(['Europe/Berlin', 'UTC', 'America/New_York']);
    // When data was obtained or reported: never in the future, and refused if it is too old.
    if (/^(scrubbed|changed)_at$/.test(field)) {
      return new Date(Date.now() - random.between(1, 86_400) * 1_000).toISOString();
    }
    if (schema.format === 'date-time' || /date|_at$/.test(field)) {
      return random.pick(['2024-01-01T00:00:00Z', '2099-12-31T23:59:59Z', '2025-06-01T12:00:00+05:30']);
    }
    if (/url/.test(field)) {
      return random.pick(['https://example.com/hook', 'https://127.0.0.1/', 'http://localhost:1/']);
    }
    if (/email/.test(field)) return `user${random.between(1, 1e9)}@example.com`;
    if (/country|countries/.test(field)) return random.pick(['US', 'DE', 'CA']);
    const length = random.pick([schema.minLength ?? 1, 8, Math.min(schema.maxLength ?? 20, 3_000)]);
    return 'n'.repeat(length);
  }

  return { value, field: (name, schema, hostility) => value(schema, hostility, name) };
}
