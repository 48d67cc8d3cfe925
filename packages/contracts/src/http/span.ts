import { z } from 'zod';

/** An instant with its offset, of the years 1 to 9999 (UTC), which Postgres reads as they are written; after parsing a date. */
export const instant = z
  .string()
  .transform((text, context): Date => {
    const parsed = z.iso.datetime({ offset: true }).safeParse(text);
    const at = new Date(text);
    const year = at.getUTCFullYear();
    if (parsed.success && year >= 1 && year <= 9_999) return at;
    context.issues.push({
      code: 'custom',
      input: text,
      message: 'Input should be an ISO 8601 date-time with an offset, such as 2026-03-01T09:00:00Z',
      params: { type: 'datetime_parsing' },
    });
    return z.NEVER;
  })
  .meta({ type: 'string', format: 'date-time', example: '2026-03-01T09:00:00Z' });

/** `from` and `to` of a query, instants: from inclusive, to exclusive. After parsing they are dates. */
export const spanShape = {
  from: instant.optional().describe('At or after this time.'),
  to: instant.optional().describe('Before this time.'),
};
