import type { ValidationErrorType } from '@outdial/contracts';

/** Far beyond what people nest, far below what overflows a parser's stack. */
const MAX_DEPTH = 100;

export interface Unstorable {
  loc: (string | number)[];
  msg: string;
  type: ValidationErrorType;
}

// Both can only come from an escape: the bytes themselves were checked when they were decoded.
const suspicious = /\\u0000|\\ud[89a-f]/i;

/**
 * Finds what is JSON and yet no value for Postgres: the NUL character and lone surrogates (no `text` or `jsonb` takes them,
 * https://www.postgresql.org/docs/current/datatype-json.html), and objects nested without reason.
 */
export function findUnstorable(value: unknown, text: string): Unstorable | null {
  const checkStrings = suspicious.test(text);
  const open: { value: unknown; path: (string | number)[] }[] = [{ value, path: [] }];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    const fault = checkStrings ? faultOfString(item.value) : null;
    if (fault !== null) {
      return { ...fault, loc: item.path };
    }
    if (typeof item.value !== 'object' || item.value === null) {
      continue;
    }
    if (item.path.length >= MAX_DEPTH) {
      return {
        loc: item.path.slice(0, 1),
        msg: `Nested deeper than ${MAX_DEPTH} levels`,
        type: 'value_error',
      };
    }
    const found = openChildren(item.value, item.path, checkStrings, open);
    if (found !== null) {
      return found;
    }
  }
  return null;
}

/** Puts what has to be looked into on the stack. A long list of strings that need no check costs one pass and no memory. */
function openChildren(
  value: object,
  path: (string | number)[],
  checkStrings: boolean,
  open: { value: unknown; path: (string | number)[] }[],
): Unstorable | null {
  if (Array.isArray(value)) {
    const items: unknown[] = value;
    for (let index = 0; index < items.length; index++) {
      const inner = items[index];
      if (checkStrings || typeof inner === 'object') {
        open.push({ value: inner, path: [...path, index] });
      }
    }
    return null;
  }
  for (const [key, inner] of Object.entries(value)) {
    const fault = checkStrings ? faultOfString(key) : null;
    if (fault !== null) {
      return { ...fault, loc: path };
    }
    if (checkStrings || typeof inner === 'object') {
      open.push({ value: inner, path: [...path, key] });
    }
  }
  return null;
}

function faultOfString(value: unknown): Omit<Unstorable, 'loc'> | null {
  if (typeof value !== 'string' || (value.isWellFormed() && !value.includes('\u0000'))) {
    return null;
  }
  return { msg: 'Text must be well-formed Unicode without the NUL character', type: 'string_unicode' };
}
