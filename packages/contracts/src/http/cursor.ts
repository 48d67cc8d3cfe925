import { parseJson } from '@outdial/core';
import { z } from 'zod';
import { integerParameter } from './parameters.ts';

/**
 * Lists are ordered by an immutable key, newest first, and a cursor contains the key of the last row that was returned. Later rows come before it, so
 * no row is returned twice or skipped. A position has the values of that key as text.
 */
export type CursorPosition = readonly string[];

/** In microseconds, as in Postgres, so that rows of the same millisecond differ. Postgres has no year 0. */
const instantOfRow = z.iso.datetime({ precision: 6 }).refine((text) => !text.startsWith('0000'));

/** The position in a list ordered by creation and then by UUID. */
export const createdPosition = z.tuple([instantOfRow, z.guid()]);

/** The same for rows with a text key, such as a phone number. */
export const createdTextPosition = z.tuple([instantOfRow, z.string().min(1).max(255)]);

/** The position in a list ordered by UUIDs that sort by creation (RFC 9562, version 7). */
export const idPosition = z.tuple([z.guid()]);

/** Longer than any cursor of `cursorAt`. */
const longestCursor = 1_000;

/**
 * The query of a list: `limit` and `cursor`. After parsing, `cursor` is the position to continue from, typed by `position`, or undefined at
 * the beginning. A cursor of another kind of list is a 422.
 */
export function cursorParameters<Position extends CursorPosition>(position: z.ZodType<Position>) {
  return z.object({
    limit: integerParameter({ minimum: 1, maximum: 1000 })
      .default(50)
      .describe('The maximum number of items to return.'),
    cursor: z
      .string()
      .transform((text, context): Position => {
        const parsed = position.safeParse(decoded(text));
        // Postgres refuses statements with NUL.
        if (parsed.success && !parsed.data.some((value) => value.includes('\0'))) return parsed.data;
        context.issues.push({
          code: 'custom',
          input: text,
          message: 'Input should be the next_cursor of an earlier response of this list',
          params: { type: 'value_error' },
        });
        return z.NEVER;
      })
      .meta({ type: 'string' })
      .optional()
      .describe('The `next_cursor` of the previous response. Omit it to get the first items.'),
  });
}

export function cursorList<Item extends z.ZodType>(item: Item) {
  return z.object({
    items: z.array(item),
    next_cursor: z
      .string()
      .nullable()
      .describe('Send it as `cursor` to get the next items. Null at the end of the list.'),
  });
}

export interface CursorList<Item> {
  items: Item[];
  next_cursor: string | null;
}

/** An answer from at most `limit + 1` rows. The extra row only shows that the list continues. */
export function cursorListOf<Row, Item>(
  rows: readonly Row[],
  limit: number,
  of: { position: (row: Row) => CursorPosition; item: (row: Row) => Item },
): CursorList<Item> {
  const answered = rows.slice(0, limit);
  const last = answered.at(-1);
  return {
    items: answered.map(of.item),
    next_cursor: rows.length > limit && last !== undefined ? cursorAt(of.position(last)) : null,
  };
}

function cursorAt(position: CursorPosition): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

function decoded(text: string): unknown {
  if (text.length > longestCursor || !/^[\w-]+$/.test(text)) return undefined;
  return parseJson(Buffer.from(text, 'base64url').toString());
}
