import { sql } from 'kysely';
import type { Executor } from './transaction.ts';

/** The engine's clock is that of the database, so that a process with a wrong clock does no harm. */
export async function engineNow(db: Executor): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select engine_now() as now`.execute(db);
  const row = rows[0];
  if (!row) throw new Error('engine_now() returned no row');
  return row.now;
}
