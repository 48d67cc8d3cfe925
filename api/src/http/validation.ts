import type { ValidationErrorEntry, ValidationErrorType } from '@outdial/contracts';
import { validationErrorTypes } from '@outdial/contracts';
import { z } from 'zod';

export type Location = 'body' | 'query' | 'path';

/** A list of a million wrong numbers needs no answer of a million lines. */
const MAX_ENTRIES = 100;

/** zod's issues in the words of the contract. */
export function entriesOf(
  location: Location,
  input: unknown,
  schema: z.ZodType,
  error: z.ZodError,
): ValidationErrorEntry[] {
  return error.issues
    .slice(0, MAX_ENTRIES)
    .flatMap((issue) => entriesOfIssue(location, input, wholeNumberNamed(issue, schema)));
}

function entriesOfIssue(location: Location, input: unknown, issue: z.core.$ZodIssue): ValidationErrorEntry[] {
  const loc = [location, ...issue.path.map((step) => (typeof step === 'number' ? step : String(step)))];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      loc: [...loc, key],
      msg: 'Field not expected',
      type: 'extra_forbidden',
    }));
  }
  if (valueAt(input, issue.path) === undefined) {
    return [{ loc, msg: 'Field required', type: 'missing' }];
  }
  return [{ loc, msg: issue.message, type: typeOf(issue) }];
}

/** zod calls what is no number at all `number`, also where a whole one was asked for. */
function wholeNumberNamed(issue: z.core.$ZodIssue, schema: z.ZodType): z.core.$ZodIssue {
  return issue.code === 'invalid_type' &&
    issue.expected === 'number' &&
    schemaAt(schema, issue.path) instanceof z.ZodNumberFormat
    ? { ...issue, expected: 'int', message: 'Input should be a valid integer' }
    : issue;
}

/** What a field of nested objects was to be, without what makes it optional. */
function schemaAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return schemaAt(schema.unwrap(), path);
  }
  const [step, ...rest] = path;
  if (step === undefined) {
    return schema;
  }
  const field: unknown = schema instanceof z.ZodObject ? schema.shape[String(step)] : undefined;
  return field instanceof z.ZodType ? schemaAt(field, rest) : undefined;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) {
      return undefined;
    }
    // What JSON.parse gave is walked without knowing its shape.
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
      return tooSmall(issue.origin, issue.inclusive !== false);
    case 'too_big':
      return tooBig(issue.origin, issue.inclusive !== false);
    case 'invalid_format':
      return wrongFormat[issue.format] ?? 'value_error';
    case 'custom':
      return namedType(issue.params);
    default:
      return 'value_error';
  }
}

/** A refinement of a schema names its type itself, with `params: { type }`. */
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

function tooSmall(origin: string, inclusive: boolean): ValidationErrorType {
  if (origin === 'string') {
    return 'string_too_short';
  }
  if (origin === 'number' || origin === 'int' || origin === 'bigint') {
    return inclusive ? 'greater_than_equal' : 'greater_than';
  }
  return 'too_short';
}

function tooBig(origin: string, inclusive: boolean): ValidationErrorType {
  if (origin === 'string') {
    return 'string_too_long';
  }
  if (origin === 'number' || origin === 'int' || origin === 'bigint') {
    return inclusive ? 'less_than_equal' : 'less_than';
  }
  return 'too_long';
}
