import type { ValidationErrorEntry, ValidationErrorType } from '@outdial/contracts';
import { andMore, validationErrorTypes } from '@outdial/contracts';
import { z } from 'zod';
import { fieldHint } from './unknown-fields.ts';

export type Location = 'body' | 'query' | 'path';

/** At most a hundred faults, and one that counts the others. */
const maxEntries = 101;

/** zod's issues in the format of the contract. */
export function entriesOf(
  location: Location,
  input: unknown,
  schema: z.ZodType,
  error: z.ZodError,
): ValidationErrorEntry[] {
  const entries = error.issues
    .slice(0, maxEntries)
    .flatMap((issue) => entriesOfIssue(location, input, { issue: wholeNumberNamed(issue, schema), schema }));
  return [...entries, ...andMore([location], error.issues.length - maxEntries)];
}

function entriesOfIssue(
  location: Location,
  input: unknown,
  { issue, schema }: { issue: z.core.$ZodIssue; schema: z.ZodType },
): ValidationErrorEntry[] {
  const loc = [location, ...issue.path.map((step) => (typeof step === 'number' ? step : String(step)))];
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(schemaAt(schema, issue.path));
    return issue.keys.slice(0, maxEntries).map((key) => ({
      loc: [...loc, key.slice(0, 64)],
      msg: `Field not expected${fieldHint({ path: [...issue.path.map(String), key.slice(0, 64)], known })}`,
      type: 'extra_forbidden',
    }));
  }
  // A query parameter may be parsed as a list, whose items have no location in the request.
  const isItemOfText = typeof valueAt(input, issue.path.slice(0, -1)) === 'string';
  if (valueAt(input, issue.path) === undefined && !isItemOfText) {
    return [{ loc, msg: 'Field required', type: 'missing' }];
  }
  return [{ loc, msg: issue.message, type: typeOf(issue) }];
}

/** zod reports `number` for a value that is not a number, even if an integer is required. */
function wholeNumberNamed(issue: z.core.$ZodIssue, schema: z.ZodType): z.core.$ZodIssue {
  return issue.code === 'invalid_type' &&
    issue.expected === 'number' &&
    schemaAt(schema, issue.path) instanceof z.ZodNumberFormat
    ? { ...issue, expected: 'int', message: 'Input should be a valid integer' }
    : issue;
}

/** The field names of an object; for a union, those of all its forms. */
function knownKeys(schema: z.core.$ZodType | undefined): string[] {
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(knownKeys);
  if (schema instanceof z.ZodPipe) return knownKeys(schema.in);
  if (schema instanceof z.ZodRecord && schema.keyType instanceof z.ZodEnum) {
    return schema.keyType.options.map(String);
  }
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** The schema of a nested field, without its optional wrapper. */
function schemaAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return schemaAt(schema.unwrap(), path);
  }
  const [step, ...rest] = path;
  if (step === undefined) return schema;
  if (schema instanceof z.ZodArray && typeof step === 'number') return schemaAt(schema.element, rest);
  const field: unknown = schema instanceof z.ZodObject ? schema.shape[String(step)] : undefined;
  return field instanceof z.ZodType ? schemaAt(field, rest) : undefined;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    // The result of JSON.parse has an unknown shape.
    value = (value as Record<PropertyKey, unknown>)[step];
  }
  return value;
}

function typeOf(issue: z.core.$ZodIssue): ValidationErrorType {
  switch (issue.code) {
    case 'invalid_type':
      return wrongType[issue.expected] ?? 'value_error';
    case 'invalid_value':
      return 'enum';
    case 'too_small':
      return ofOrigin(issue.origin, {
        text: 'string_too_short',
        number: issue.inclusive === false ? 'greater_than' : 'greater_than_equal',
        list: 'too_short',
      });
    case 'too_big':
      return ofOrigin(issue.origin, {
        text: 'string_too_long',
        number: issue.inclusive === false ? 'less_than' : 'less_than_equal',
        list: 'too_long',
      });
    case 'invalid_format':
      return wrongFormat[issue.format] ?? 'value_error';
    case 'custom':
      return namedType(issue.params);
    default:
      return 'value_error';
  }
}

/** A refinement names its own type, with `params: { type }`. */
function namedType(params: Record<string, unknown> | undefined): ValidationErrorType {
  return validationErrorTypes.find((type) => type === params?.['type']) ?? 'value_error';
}

const wrongType: Record<string, ValidationErrorType> = {
  string: 'string_type',
  int: 'int_type',
  number: 'float_type',
  boolean: 'bool_type',
  array: 'list_type',
  object: 'dict_type',
  record: 'dict_type',
  date: 'datetime_parsing',
};

const wrongFormat: Record<string, ValidationErrorType> = {
  guid: 'uuid_parsing',
  uuid: 'uuid_parsing',
  datetime: 'datetime_parsing',
  date: 'datetime_parsing',
  regex: 'string_pattern_mismatch',
};

function ofOrigin(
  origin: string,
  types: Record<'text' | 'number' | 'list', ValidationErrorType>,
): ValidationErrorType {
  if (origin === 'string') return types.text;
  return origin === 'number' || origin === 'int' || origin === 'bigint' ? types.number : types.list;
}
