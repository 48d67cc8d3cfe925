import type { ValidationErrorType } from '@outdial/contracts';

// Both can only come from an escape, because the bytes were checked when they were decoded.
const suspicious = /\\u0000|\\ud[89a-f]/i;

/**
 * Finds JSON values that Postgres cannot store: NUL and lone surrogates (neither `text` nor `jsonb` accepts them,
 * https://www.postgresql.org/docs/current/datatype-json.html). `text` is the source of `value`, with bounded depth.
 */
export function findUnstorable(
  value: unknown,
  text: string,
): { loc: Array<string | number>; msg: string; type: ValidationErrorType } | null {
  if (!suspicious.test(text)) return null;
  const path: Array<string | number> = [];
  return hasFault(value, path)
    ? { loc: path, msg: 'Text must be well-formed Unicode without the NUL character', type: 'string_unicode' }
    : null;
}

/** Leaves the path to the fault in `path`, which the whole walk reuses. */
function hasFault(value: unknown, path: Array<string | number>): boolean {
  if (typeof value === 'string') return isFaulty(value);
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) {
    const items: unknown[] = value;
    return items.some((item, index) => isBehind(index, item, path));
  }
  for (const name in value) {
    // A name that cannot be stored cannot be sent back either, so the fault names the object.
    if (isFaulty(name)) return true;
    // The result of JSON.parse has an unknown shape.
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
