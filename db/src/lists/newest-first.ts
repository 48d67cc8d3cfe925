import { type RawBuilder, sql, type SqlBool } from 'kysely';

/** Where a list that is ordered newest first goes on: the key of the last row that was read. */
export interface NewestFirstPosition {
  /** When the row was made, with microseconds, as `rowInstant` gives it. */
  at: string;
  id: string;
}

/** How much of a list to read. Read one row more than the caller asked for: it says whether the list goes on. */
export interface NewestFirst {
  limit: number;
  after: NewestFirstPosition | null;
}

/** When a row was made, as text with the microseconds that a `Date` would lose; `column` such as `c.created_at`. */
export function rowInstant(column: string): RawBuilder<string> {
  return sql<string>`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/**
 * Whether a row comes after a position in a list ordered by `at desc, id desc`. One comparison of rows, so that an index on both
 * columns leads straight to the position, however long the list is.
 */
export function comesAfter(
  columns: { at: string; id: string },
  after: NewestFirstPosition | null,
): RawBuilder<SqlBool> {
  if (after === null) return sql<SqlBool>`true`;
  return sql<SqlBool>`(${sql.ref(columns.at)}, ${sql.ref(columns.id)}) < (${after.at}::timestamptz, ${after.id})`;
}
