import { campaignConfigBody, nearestName, type Warning } from '@outdial/contracts';
import { z } from 'zod';

/** A member unknown to the schema, with the names that the schema has instead. */
export interface UnknownField {
  readonly path: ReadonlyArray<string | number>;
  readonly known: readonly string[];
}

/** The most unknown fields that an answer names. */
const namedAtMost = 20;
/** Longer names are cut, because they come from the caller. */
const nameLength = 64;

export interface UnknownFields {
  readonly fields: readonly UnknownField[];
  /** How many others there are. */
  readonly more: number;
}

/** The members of `value` that `schema` would drop. Free-form objects (records) have no unknown members. */
export function unknownFields(schema: z.core.$ZodType, value: unknown): UnknownFields {
  const found = { fields: [], more: 0 };
  collect(schema, value, [], found);
  return found;
}

function collect(
  schema: z.core.$ZodType,
  value: unknown,
  path: ReadonlyArray<string | number>,
  found: { fields: UnknownField[]; more: number },
): void {
  if (typeof value !== 'object' || value === null) return;
  const plain = unwrapped(schema);
  if (plain instanceof z.ZodArray && Array.isArray(value)) {
    const items: unknown[] = value;
    for (const [index, item] of items.entries()) collect(plain.element, item, [...path, index], found);
    return;
  }
  // A schema with a catchall handles other names itself.
  if (!(plain instanceof z.ZodObject) || plain.def.catchall !== undefined || Array.isArray(value)) return;
  const { shape } = plain;
  for (const name in value) {
    if (!Object.hasOwn(value, name)) continue;
    const inner: unknown = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (inner === undefined && found.fields.length >= namedAtMost) {
      found.more += 1;
    } else if (inner === undefined) {
      found.fields.push({ path: [...path, name.slice(0, nameLength)], known: Object.keys(shape) });
    } else if (inner instanceof z.ZodType) {
      // The result of JSON.parse has an unknown shape.
      collect(inner, (value as Record<string, unknown>)[name], [...path, name], found);
    }
  }
}

/** Unwraps optional, nullable and transformed schemas. */
function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return unwrapped(schema.unwrap());
  }
  return schema instanceof z.ZodPipe ? unwrapped(schema.in) : schema;
}

const { campaign_id: _, ...configFields } = campaignConfigBody.shape;
/** Names of known fields in the wrong place: when a campaign may call at night must not depend on the place of a field. */
const places: Readonly<Record<string, string>> = {
  timezone: 'additional_params.timezone',
  time_zone: 'additional_params.timezone',
  tz: 'additional_params.timezone',
  prompt_params: 'additional_params.prompt_params',
  recipients: 'additional_params.recipients',
  ...Object.fromEntries(
    Object.keys(configFields).map((field) => [field, 'PUT /api/v1/campaigns/{campaign_id}/config']),
  ),
  status: 'PUT /api/v1/campaigns/{campaign_id}/status',
};

/** A suggestion for an unknown field, to append to a message; empty if no field is similar. */
export function fieldHint(field: UnknownField): string {
  const name = String(field.path.at(-1) ?? '');
  const place = Object.hasOwn(places, name) ? places[name] : undefined;
  const isOfCampaign = field.path.length === 1 && field.known.includes('phone_numbers');
  if (place !== undefined && isOfCampaign) return `; it belongs in \`${place}\``;
  const nearest = nearestName(name, field.known);
  if (nearest !== null) return `; did you mean \`${nearest}\`?`;
  return field.known.includes('prompt_params') ? '; prompt values belong in `prompt_params`' : '';
}

export function unknownFieldWarning(field: UnknownField): Warning {
  return {
    code: 'unknown_field',
    loc: ['body', ...field.path],
    msg: `This field is unknown and was ignored${fieldHint(field)}`,
  };
}

/** One warning for all fields beyond those that are named; empty if there are none. */
export function unknownFieldsWarning({ more }: UnknownFields): Warning[] {
  if (more === 0) return [];
  return [{ code: 'unknown_field', loc: ['body'], msg: `${more} more fields are unknown and were ignored` }];
}
