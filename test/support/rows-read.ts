import type { Executor } from '@outdial/db';
import { sql } from 'kysely';

/** Counts the rows of a table that `act` reads in a transaction, with or without an index. */
export async function rowsRead<Result>(
  tx: Executor,
  table: string,
  act: () => Promise<Result>,
): Promise<{ result: Result; read: number }> {
  const before = await readSoFar(tx, table);
  const result = await act();
  return { result, read: (await readSoFar(tx, table)) - before };
}

/** Includes rows that earlier transactions of this connection read and have not reported yet. */
async function readSoFar(tx: Executor, table: string): Promise<number> {
  const { rows } = await sql<{ read: number }>`
    select (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as read
    from pg_stat_xact_user_tables where relname = ${table}`.execute(tx);
  return rows[0]?.read ?? 0;
}
