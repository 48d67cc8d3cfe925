import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';

/** Returns whether the number was on the list. Deletes an expired entry too, but returns false for it. */
export async function removeSuppression(
  db: Executor,
  { organizationId, phoneNumber }: { organizationId: string; phoneNumber: string },
): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`
    delete from suppressions where organization_id = ${organizationId} and phone_number = ${phoneNumber}
    returning expires_at is null or expires_at > (select engine_now()) as held`.execute(db);
  return rows[0]?.held === true;
}
