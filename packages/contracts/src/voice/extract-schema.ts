import { z } from 'zod';
import { jsonBytes } from '../http/fields.ts';

const text = z.string().max(2_000);
const name = z.string().min(1).max(64);
const typeName = z.enum(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null']);
const scalar = z.union([z.string().max(500), z.number(), z.boolean(), z.null()], {
  error: 'must be a string, a number, true, false or null',
});
const length = z.int().min(0).max(100_000);

const typesMessage = 'must be object, array, string, number, integer, boolean or null, or a list of these';

/**
 * A part of the JSON Schema of an extract. Allows only keywords that model servers support for structured output. Excludes keywords that make
 * validation slow (`pattern`) or refer to other documents (`$ref`).
 */
const extractField = z
  .strictObject({
    type: z.union([typeName, z.array(typeName).min(1).max(7)], { error: typesMessage }).exactOptional(),
    title: text.exactOptional(),
    description: text.exactOptional(),
    enum: z.array(scalar).min(1).max(200).exactOptional(),
    const: scalar.exactOptional(),
    get properties() {
      return z.record(name, extractField).exactOptional();
    },
    required: z.array(name).max(200).exactOptional(),
    additionalProperties: z.boolean().exactOptional(),
    get items() {
      return extractField.exactOptional();
    },
    get anyOf() {
      return z.array(extractField).min(1).max(20).exactOptional();
    },
    minimum: z.number().exactOptional(),
    maximum: z.number().exactOptional(),
    minLength: length.exactOptional(),
    maxLength: length.exactOptional(),
    minItems: length.exactOptional(),
    maxItems: length.exactOptional(),
  })
  .meta({ id: 'ExtractField' });

export type ExtractSchema = z.output<typeof extractField>;

const bytesAtMost = 16 * 1024;
const depthAtMost = 8;

/** The JSON Schema of the data to extract from a conversation: an object, small enough to be sent to a model with every call. */
export const extractSchema = extractField
  .refine((schema) => schema.type === 'object', { path: ['type'], error: 'must be object' })
  .refine((schema) => jsonBytes(schema) <= bytesAtMost, {
    error: `must be at most ${bytesAtMost} bytes of JSON`,
  })
  .refine((schema) => depthOf(schema) <= depthAtMost, {
    error: `must be at most ${depthAtMost} levels deep`,
  });

function depthOf(schema: ExtractSchema): number {
  const parts = [
    ...Object.values(schema.properties ?? {}),
    ...(schema.items === undefined ? [] : [schema.items]),
    ...(schema.anyOf ?? []),
  ];
  return 1 + Math.max(0, ...parts.map(depthOf));
}
