import type { ValidationErrorType } from '@outdial/contracts';

export interface Unstorable {
  loc: Array<string | number>;
  msg: string;
  type: ValidationErrorType;
}

// Both can only come from an escape: the bytes themselves were checked when they were decoded.
const suspicious = /\\u0000|\\ud[89a-f]/i;

/**
 * Finds what is JSON and yet no value for Postgres: the NUL character and lone surrogates (no `text` or `jsonb` takes them,
 * https://www.postgresql.org/docs/current/datatype-json.html). `text` is what `value` was parsed from; its depth is bounded already.
 */
export function findUnstorable(value: unknown, text: string): Unstorable | null {
  if (!suspicious.test(text)) return null;
  const path: Array<string | number> = [];
  return hasFault(value, path)
    ? { loc: path, msg: 'Text must be well-formed Unicode without the NUL character', type: 'string_unicode' }
    : null;
}

/** Leaves the way to the fault in `path`; one path serves the whole walk, so that it takes no memory. */
function hasFault(value: unknown, path: Array<string | number>): boolean {
  if (typeof value === 'string') return isFaulty(value);
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) {
    const items: unknown[] = value;
    return items.some((item, index) => isBehind(index, item, path));
  }
  for (const name in value) {
    // A name that cannot be stored cannot be answered either: the object is named.
    if (isFaulty(name)) return true;
    // The result of JSON.parse is read without knowing its shape.
    if (Object.hasOwn(value, name) && isBehind(name, (value as Record<string, unknown>)[name], path)) {
      return true;
    }
  }
  return false;
}

function isBehind(step: string | number, value: unknown, path: Array<string | number>): boolean {
  path.push(step);
  if (hasFault(value, path)) return true;
  path.pop();
  return false;
}

function isFaulty(text: string): boolean {
  return !text.isWellFormed() || text.includes('\u0000');
}
