/** Undefined if the text is not JSON. */
export function parseJson(text: string, revive?: (key: string, value: unknown) => unknown): unknown {
  try {
    return JSON.parse(text, revive);
  } catch {
    return undefined;
  }
}

/**
 * Parses JSON from outside, and replaces characters in its texts that Postgres cannot store: the NUL character and lone surrogates, which `text` and
 * `jsonb` reject (https://www.postgresql.org/docs/current/datatype-json.html), become U+FFFD. Undefined if the text is not JSON.
 */
export function parseCleanJson(text: string): unknown {
  return parseJson(text, (_key, value) => clean(value));
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  if (Object.keys(value).every((key) => key === cleanText(key))) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [cleanText(key), inner]));
}

function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\uFFFD');
}
