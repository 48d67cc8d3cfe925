import type { z } from 'zod';
import { faultMessage } from './fault-message.ts';

/** One of many items of an import, as it was sent, and its position. */
export interface ImportLine {
  line: number;
  item: Record<string, unknown>;
}

export interface RefusedLine {
  line: number;
  field: string | null;
  reason: string;
}

/** The item, or the first of its faults. */
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
