import type { z } from 'zod';
import { nearestName } from './nearest-name.ts';

/** The expected value of a field, worded like the examples of the contract. A schema's own message takes precedence. */
export function faultMessage(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return `Input should be a valid ${typeNames[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `Input should be ${listed(issue.values)}${meantValue(issue.input, issue.values)}`;
    case 'too_small':
      return tooSmall(issue.origin, Number(issue.minimum), issue.inclusive !== false);
    case 'too_big':
      return tooBig(issue.origin, Number(issue.maximum), issue.inclusive !== false);
    case 'invalid_format':
      return formatNames[issue.format];
    default:
      return undefined;
  }
}

const typeNames: Record<string, string> = {
  int: 'integer',
  array: 'list',
  record: 'object',
};

const formatNames: Record<string, string> = {
  guid: 'Input should be a valid UUID, such as 0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e',
  uuid: 'Input should be a valid UUID, such as 0195d2ee-5a09-7c0b-9d1e-0f1a2b3c4d5e',
  datetime: 'Input should be a valid date and time, such as 2026-03-02T09:00:00Z',
  date: 'Input should be a valid date, such as 2026-03-02',
  email: 'Input should be a valid email address, such as ada@example.com',
  url: 'Input should be a valid URL, such as https://example.com/outdial',
};

function meantValue(input: unknown, values: readonly unknown[]): string {
  if (typeof input !== 'string' || input.length > 64) return '';
  const nearest = nearestName(input, values.map(String));
  return nearest === null ? '' : `; did you mean '${nearest}'?`;
}

function listed(values: readonly unknown[]): string {
  const names = values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)));
  const last = names.pop() ?? '';
  return names.length === 0 ? last : `${names.join(', ')} or ${last}`;
}

function tooSmall(origin: string, minimum: number, inclusive: boolean): string {
  if (origin === 'string') return `String should have at least ${counted(minimum, 'character')}`;
  if (sized.has(origin)) return `List should have at least ${counted(minimum, 'item')}`;
  return `Input should be greater than ${inclusive ? 'or equal to ' : ''}${minimum}`;
}

function tooBig(origin: string, maximum: number, inclusive: boolean): string {
  if (origin === 'string') return `String should have at most ${counted(maximum, 'character')}`;
  if (sized.has(origin)) return `List should have at most ${counted(maximum, 'item')}`;
  return `Input should be less than ${inclusive ? 'or equal to ' : ''}${maximum}`;
}

/** Schemas with items. */
const sized = new Set(['array', 'set', 'map', 'object', 'record']);

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
