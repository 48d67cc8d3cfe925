import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';

/** For so long a row can be read again. */
export const outboxRetentionDays = 30;

/** Deletes at most `limit` rows that are kept no longer, of all organizations. Gives how many. Ids are in the order of time, so the oldest are found by their key. */
export async function deleteOldOutboxEvents(
  db: Executor,
  { now, limit }: { now: Date; limit: number },
): Promise<number> {
  const result = await sql`
    delete from outbox where id = any(array(
      select id from (select id, created_at from outbox order by id limit ${limit} for update skip locked) oldest
      where created_at < ${now}::timestamptz - ${outboxRetentionDays} * interval '1 day'))`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}
