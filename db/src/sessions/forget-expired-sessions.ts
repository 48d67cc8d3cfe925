import { sql } from 'kysely';
import type { Db } from '../transaction.ts';

/** Deletes expired sessions and sign-in links, and returns how many. */
export async function forgetExpiredSessions(db: Db, limit: number): Promise<number> {
  let forgotten = 0;
  for (const table of ['console_sessions', 'sign_in_links'] as const) {
    const deleted = await sql`
      delete from ${sql.table(table)} where ctid = any(array(
        select ctid from ${sql.table(table)} where expires_at <= now() limit ${limit} for update skip locked))`.execute(
      db,
    );
    forgotten += Number(deleted.numAffectedRows ?? 0);
  }
  return forgotten;
}
