import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';
import { oldestKept } from './claim-idempotency-key.ts';

/** Deletes at most `limit` answers that are kept no longer, of all organizations. Returns how many. */
export async function deleteOldIdempotencyKeys(
  db: Executor,
  { now, limit }: { now: Date; limit: number },
): Promise<number> {
  const result = await sql`
    delete from idempotency_keys where ctid = any(array(
      select ctid from idempotency_keys where created_at <= ${oldestKept(now)} order by created_at limit ${limit}))`.execute(
    db,
  );
  return Number(result.numAffectedRows ?? 0n);
}
