import { andMore, faultMessage, nearestName, type ValidationErrorEntry } from '@outdial/contracts';
import type { Request } from 'express';
import type { z } from 'zod';
import { notFound } from './resource-id.ts';
import { entriesOf, type Location } from './validation.ts';

type Checked<Schema extends z.ZodType> =
  | { success: true; data: z.output<Schema> }
  | { success: false; entries: ReturnType<typeof entriesOf> };

export function check<Schema extends z.ZodType>(
  schema: Schema,
  location: Location,
  input: unknown,
): Checked<Schema> {
  const result = schema.safeParse(input, { error: faultMessage });
  return result.success
    ? { success: true, data: result.data }
    : { success: false, entries: entriesOf(location, input, schema, result.error) };
}

/** NUL never occurs in the database, and Postgres refuses queries with it. So an id with NUL does not exist. */
export function checkPath<Schema extends z.ZodType>(
  schema: Schema,
  input: Request['params'],
): Checked<Schema> {
  if (Object.entries(input).some(([name, value]) => name.endsWith('_id') && [value].flat().some(holdsNul))) {
    throw notFound('Resource');
  }
  const entries = Object.entries(input).flatMap(([name, value]) =>
    [value].flat().some(holdsNul) ? [unstorableText('path', name)] : [],
  );
  return entries.length > 0 ? { success: false, entries } : check(schema, 'path', input);
}

/** Refuses unknown parameters, because a misspelled filter would return everything. */
export function checkQuery<Schema extends z.ZodObject>(
  schema: Schema,
  input: Request['query'],
): Checked<Schema> {
  const entries = Object.entries(input).flatMap(([name, value]) => {
    if (!Object.hasOwn(schema.shape, name)) return [refusedParameter(name, Object.keys(schema.shape))];
    return [value].flat().some(holdsNul) ? [unstorableText('query', name)] : [];
  });
  if (entries.length > 0) {
    const more = andMore(['query'], entries.length - faultsAtMost);
    return { success: false, entries: [...entries.slice(0, faultsAtMost), ...more] };
  }
  const result = check(schema, 'query', input);
  return result.success && endsBeforeItBegins(result.data) ? { success: false, entries: [wrongEnd] } : result;
}

/** Refuses an empty span, whose empty answer would look like a result. */
function endsBeforeItBegins(query: Readonly<Record<string, unknown>>): boolean {
  const { from, to } = query;
  return from instanceof Date && to instanceof Date && to < from;
}

const wrongEnd: ValidationErrorEntry = {
  loc: ['query', 'to'],
  msg: 'to should be at or after from',
  type: 'value_error',
};

const faultsAtMost = 20;

function refusedParameter(name: string, known: readonly string[]): ValidationErrorEntry {
  const hint = hasKeyName(name)
    ? '; send an API key in the X-API-Key header'
    : parameterHint(name.slice(0, 64), known);
  return {
    loc: ['query', name.slice(0, 64)],
    msg: `Parameter not expected${hint}`,
    type: 'extra_forbidden',
  };
}

/** A key in a URL would end up in logs. */
function hasKeyName(name: string): boolean {
  return /^(x-)?(api[_-]?key|access[_-]?token|token|key)$/i.test(name);
}

function parameterHint(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  if (nearest !== null) return `; did you mean \`${nearest}\`?`;
  return known.length === 0
    ? '; this operation has no parameters'
    : `; the known parameters are ${known.join(', ')}`;
}

export function holdsNul(text: unknown): boolean {
  return typeof text === 'string' && text.includes('\u0000');
}

export function unstorableText(location: Location, name: string): ValidationErrorEntry {
  return {
    loc: [location, name],
    msg: 'Input should be text without NUL characters',
    type: 'string_unicode',
  };
}
