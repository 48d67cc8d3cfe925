import type { z } from 'zod';

/** Parses JSON from another server. Null if the text is not JSON or does not match the schema. */
export function readJson<T>(schema: z.ZodType<T>, text: string): T | null {
  try {
    return schema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
