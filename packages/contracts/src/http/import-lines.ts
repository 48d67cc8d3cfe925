import { z } from 'zod';
import { faultMessage } from './fault-message.ts';

/** An item of an import, unvalidated, with its position. */
export interface ImportLine {
  line: number;
  item: Record<string, unknown>;
}

export interface RefusedLine {
  line: number;
  field: string | null;
  reason: string;
}

/** The country of numbers that are written in their national format. */
export const countryOfNumbers = z
  .string()
  .regex(/^[A-Za-z]{2}$/, 'Input should be a country code of two letters')
  .nullish()
  .describe('The country of numbers without a leading `+`: ISO 3166, two letters');

/** Fields of a body with many items. A form has a file instead of `items`. */
export const importedItems = (atMost: number, description: string) => ({
  items: z
    .array(z.record(z.string().max(100), z.unknown()))
    .min(1)
    .max(atMost)
    .optional()
    .describe(description),
  country: countryOfNumbers.describe(
    'The country of numbers in a file without a leading `+`: ISO 3166, two letters',
  ),
});

/** The data of the answer. */
export const refusedLines = z
  .array(z.object({ line: z.int(), field: z.string().nullable(), reason: z.string() }))
  .describe('Skipped rows, by their position in `items`, from 1, or their line in the file');

/** The item, or its first fault. */
export function parseLine<Item>(
  schema: z.ZodType<Item>,
  { line, item }: ImportLine,
): { item: Item } | { refused: RefusedLine } {
  const parsed = schema.safeParse(item, { error: faultMessage });
  if (parsed.success) return { item: parsed.data };
  const [issue] = parsed.error.issues;
  const field = issue?.path[0];
  return {
    refused: { line, field: field === undefined ? null : String(field), reason: issue?.message ?? '' },
  };
}
