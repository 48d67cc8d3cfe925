import { type RawBuilder, type SelectQueryBuilder, sql, type SqlBool } from 'kysely';

/** At most `limit` rows after the position `after`, or the first ones. */
export interface ListPage<Position> {
  limit: number;
  after: Position | null;
}

/** For a list ordered by creation, in the format of `rowInstant`, and then by id. */
export type NewestFirst = ListPage<readonly [at: string, id: string]>;

/** For a list ordered by ids, which sort by creation (RFC 9562, version 7). */
export type NewestIdFirst = ListPage<readonly [id: string]>;

export function byInstant(row: { row_instant: string; id: string }): readonly [at: string, id: string] {
  return [row.row_instant, row.id];
}

export function byId(row: { id: string }): readonly [id: string] {
  return [row.id];
}

/** An instant as text with microseconds, which a `Date` would lose. @param column such as `c.created_at` */
export function rowInstant(column: string): RawBuilder<string> {
  return sql<string>`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
}

/** Whether a row comes after a position in a list ordered by `at desc, id desc`. A row comparison, so that an index on both columns can be used. */
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

/** The end of a statement that reads a page: condition, order and limit. */
export function newestFirst(columns: { at: string; id: string }, page: NewestFirst): RawBuilder<unknown> {
  return sql`and ${comesAfter(columns, page.after)}
    order by ${sql.ref(columns.at)} desc, ${sql.ref(columns.id)} desc
    limit ${page.limit}`;
}

/** For a table with `created_at` and `id`; adds `row_instant` to the rows. */
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

/** Reads a whole list page by page, each in its own statement. */
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
