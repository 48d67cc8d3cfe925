import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';
import { expiredBefore } from './claim-idempotency-key.ts';

/** Deletes at most `limit` expired answers, and returns how many. */
export async function deleteOldIdempotencyKeys(
  db: Executor,
  { now, limit }: { now: Date; limit: number },
): Promise<number> {
  const result = await sql`
    delete from idempotency_keys where ctid = any(array(
      select ctid from idempotency_keys where created_at <= ${expiredBefore(now)} order by created_at limit ${limit}))`.execute(
    db,
  );
  return Number(result.numAffectedRows ?? 0n);
}
