import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';

/** Deletes at most `limit` expired suppressions of all organizations, and returns how many. */
export async function deleteExpiredSuppressions(db: Executor, limit: number): Promise<number> {
  const result = await sql`
    delete from suppressions s using (
      select organization_id, phone_number from suppressions where expires_at <= (select engine_now())
      order by expires_at limit ${limit} for update skip locked) expired
    where s.organization_id = expired.organization_id and s.phone_number = expired.phone_number`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}
