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
  .regex(/^[A-Za-z]{2}$/, 'Input should be a two-letter country code (ISO 3166), such as US')
  .nullish()
  .describe('The country of phone numbers without a leading `+`, as a two-letter code (ISO 3166).');

/** Fields of a body with many items. A form has a file instead of `items`. */
export const importedItems = (atMost: number, description: string) => ({
  items: z
    .array(z.record(z.string().max(100), z.unknown()))
    .min(1)
    .max(atMost)
    .optional()
    .describe(description),
  country: countryOfNumbers.describe(
    'The country of phone numbers in the file without a leading `+`, as a two-letter code (ISO 3166).',
  ),
});

/** The data of the answer. */
export const refusedLines = z
  .array(z.object({ line: z.int(), field: z.string().nullable(), reason: z.string() }))
  .describe(
    'The rows that were skipped, each with its line in the file or its position in `items`, counted from 1.',
  );

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
