import { countsOthers, type ValidationErrorEntry } from '@outdial/contracts';
import { maskText } from '@outdial/core';

/** Longer values are cut. */
const shownAtMost = 40;

/** Fields that identify a person. They and everything below them are masked. */
const personal = new Set([
  'phone_number',
  'phone_numbers',
  'to_phone',
  'recipients',
  'people',
  'prompt_params',
  'email',
  'first_name',
  'last_name',
  'notes',
  'comments',
]);

/** Never shown, not even masked. */
const secret = /secret|password|token|api_key/;

/** Fields of a recipient that do not identify the person. */
const impersonal = new Set(['timezone', 'status', 'outcome']);

/** Faults about the type or size of a value, and not about its absence. */
const withoutValue = new Set<ValidationErrorEntry['type']>(['missing', 'extra_forbidden', 'file_type']);

/** The fault with the value that was sent: `Input should be a valid integer, not "ten"`. */
export function withShownValue(entry: ValidationErrorEntry, input: unknown): ValidationErrorEntry {
  if (withoutValue.has(entry.type) || countsOthers(entry)) return entry;
  const { value, isThere } = valueAt(input, entry.loc.slice(1));
  if (!isThere) return entry;
  if (entry.loc[0] === 'query' && Array.isArray(value) && entry.type === 'string_type') {
    return { ...entry, msg: 'Parameter should be given once, not several times' };
  }
  const shown = shownValue(value, entry);
  // Some messages already name the value.
  if (shown === null || entry.msg.includes(', not ')) return entry;
  if (typeof value === 'string' && entry.msg.includes(shown)) return entry;
  // A check that refuses a value of an allowed type does not name the expected type.
  if (!/\b(should|must)\b/.test(entry.msg)) return entry;
  const [rule = '', ...hints] = entry.msg.split('; ');
  if (entry.loc[0] === 'query' && typeof value === 'string' && /^ \d/.test(value)) {
    hints.push('in a query, write a plus sign as %2B');
  }
  return { ...entry, msg: [`${rule}, not ${shown}`, ...hints].join('; ') };
}

function shownValue(value: unknown, { loc, type }: ValidationErrorEntry): string | null {
  const names = loc.map(String);
  if (names.some((name) => secret.test(name))) return null;
  if (typeof value === 'string' && (type === 'string_too_long' || type === 'string_too_short')) {
    return String(value.length);
  }
  if (Array.isArray(value)) return type.startsWith('too_') ? String(value.length) : 'a list';
  if (typeof value === 'object' && value !== null) return type === 'too_long' ? null : 'an object';
  const isMasked = names.some((name) => personal.has(name)) && !impersonal.has(names.at(-1) ?? '');
  // A phone number without quotation marks is parsed as a number, but is still personal data.
  if (typeof value === 'number' && isMasked) return maskText(String(value));
  if (typeof value !== 'string') return String(value);
  const text = isMasked ? maskText(value) : value;
  return JSON.stringify(text.length > shownAtMost ? `${text.slice(0, shownAtMost)}…` : text);
}

/** The value at a path of JSON or a query of unknown shape. */
function valueAt(input: unknown, path: ReadonlyArray<string | number>): { value: unknown; isThere: boolean } {
  let value = input;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) {
      return { value: undefined, isThere: false };
    }
    value = (value as Record<string | number, unknown>)[step];
  }
  return { value, isThere: value !== undefined };
}
