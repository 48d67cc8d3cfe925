import type { Warning } from '@outdial/contracts';
import { distance } from 'fastest-levenshtein';
import { z } from 'zod';

/** A member that the schema does not know, with the names that it knows in its place. */
export interface UnknownField {
  readonly path: ReadonlyArray<string | number>;
  readonly known: readonly string[];
}

/** A body of nothing but unknown fields needs no answer that names them all. */
const NAMED_AT_MOST = 20;
/** A longer name is cut: it is somebody's text, and goes back into the answer. */
const NAME_LENGTH = 64;

/** The members of `value` that `schema` drops without a word. Free-form objects (records) know every name. */
export function unknownFields(schema: z.core.$ZodType, value: unknown): UnknownField[] {
  const found: UnknownField[] = [];
  collect(schema, value, [], found);
  return found;
}

function collect(
  schema: z.core.$ZodType,
  value: unknown,
  path: ReadonlyArray<string | number>,
  found: UnknownField[],
): void {
  if (found.length >= NAMED_AT_MOST || typeof value !== 'object' || value === null) return;
  const plain = unwrapped(schema);
  if (plain instanceof z.ZodArray && Array.isArray(value)) {
    const items: unknown[] = value;
    for (const [index, item] of items.entries()) {
      if (found.length >= NAMED_AT_MOST) return;
      collect(plain.element, item, [...path, index], found);
    }
    return;
  }
  // One with a catchall says itself what it does with other names.
  if (!(plain instanceof z.ZodObject) || plain.def.catchall !== undefined || Array.isArray(value)) return;
  const { shape } = plain;
  for (const name in value) {
    if (found.length >= NAMED_AT_MOST) return;
    if (!Object.hasOwn(value, name)) continue;
    const inner: unknown = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (inner === undefined) {
      found.push({ path: [...path, name.slice(0, NAME_LENGTH)], known: Object.keys(shape) });
    } else if (inner instanceof z.ZodType) {
      // What JSON.parse gave is walked without knowing its shape.
      collect(inner, (value as Record<string, unknown>)[name], [...path, name], found);
    }
  }
}

/** Without what makes a schema optional, nullable or transformed. */
function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return unwrapped(schema.unwrap());
  }
  return schema instanceof z.ZodPipe ? unwrapped(schema.in) : schema;
}

/** The known name that was probably meant; null where none is alike. */
export function nearestName({ path, known }: UnknownField): string | null {
  const name = String(path.at(-1) ?? '').toLowerCase();
  let nearest: { known: string; distance: number } | null = null;
  for (const candidate of known) {
    const away = distance(name, candidate.toLowerCase());
    if (nearest === null || away < nearest.distance) nearest = { known: candidate, distance: away };
  }
  // Half of the letters right is a slip; less is another word.
  return nearest !== null &&
    nearest.distance <= Math.max(2, name.length / 2) &&
    nearest.distance < name.length
    ? nearest.known
    : null;
}

/** An unknown field for the `meta.warnings` of an answer. */
export function unknownFieldWarning(field: UnknownField): Warning {
  const nearest = nearestName(field);
  return {
    code: 'unknown_field',
    loc: ['body', ...field.path],
    msg: `This field is not known and was ignored${nearest === null ? '' : `; did you mean \`${nearest}\`?`}`,
  };
}
