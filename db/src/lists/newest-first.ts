import { type RawBuilder, type SelectQueryBuilder, sql, type SqlBool } from 'kysely';

/** How much of a list to read: at most `limit` rows after the one with the key `after`, or the first ones. */
export interface ListPage<Position> {
  limit: number;
  after: Position | null;
}

/** Of a list by when rows were made, with microseconds as `rowInstant` gives it, and then by their id. */
export type NewestFirst = ListPage<readonly [at: string, id: string]>;

/** Of a list by ids that sort by the time they were made (RFC 9562, version 7). */
export type NewestIdFirst = ListPage<readonly [id: string]>;

export function byInstant(row: { row_instant: string; id: string }): readonly [at: string, id: string] {
  return [row.row_instant, row.id];
}

export function byId(row: { id: string }): readonly [id: string] {
  return [row.id];
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
  after: NewestFirst['after'],
): RawBuilder<SqlBool> {
  if (after === null) return sql<SqlBool>`true`;
  return sql<SqlBool>`(${sql.ref(columns.at)}, ${sql.ref(columns.id)}) < (${after[0]}::timestamptz, ${after[1]})`;
}

/** Whether a row comes after a position in a list ordered by `id desc`. */
export function isOlder(id: string, after: NewestIdFirst['after']): RawBuilder<SqlBool> {
  return after === null ? sql<SqlBool>`true` : sql<SqlBool>`${sql.ref(id)} < ${after[0]}`;
}

/** The end of a statement that reads a page: `and …`, the order and the limit. */
export function newestFirst(columns: { at: string; id: string }, page: NewestFirst): RawBuilder<unknown> {
  return sql`and ${comesAfter(columns, page.after)}
    order by ${sql.ref(columns.at)} desc, ${sql.ref(columns.id)} desc
    limit ${page.limit}`;
}

/** The same for the rows of one table with `created_at` and `id`; adds `row_instant` to them. */
export function selectNewestFirst<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  page: NewestFirst,
) {
  const columns = { at: 'created_at', id: 'id' };
  return query
    .select(rowInstant(columns.at).as('row_instant'))
    .where(comesAfter(columns, page.after))
    .orderBy(sql.ref(columns.at), 'desc')
    .orderBy(sql.ref(columns.id), 'desc')
    .limit(page.limit);
}

/** A whole list, page by page, each in a statement of its own. */
export async function* readPages<Row, Position>(list: {
  rowsAtOnce: number;
  read: (page: ListPage<Position>) => Promise<Row[]>;
  position: (row: Row) => Position;
}): AsyncGenerator<Row[]> {
  const { rowsAtOnce, read, position } = list;
  let after: Position | null = null;
  for (;;) {
    const rows: Row[] = await read({ limit: rowsAtOnce, after });
    yield rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsAtOnce) return;
    after = position(last);
  }
}
