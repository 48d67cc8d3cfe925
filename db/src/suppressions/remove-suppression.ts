import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';

/**
 * Returns whether the number was on the list. Deletes an expired entry too, but returns false for it. Also deletes what is left of the request of a
 * person who was erased.
 */
export async function removeSuppression(
  db: Executor,
  { organizationId, phoneNumber }: { organizationId: string; phoneNumber: string },
): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`
    with erased as (
      delete from erased_suppressions
      where organization_id = ${organizationId} and number_hash = erased_number_hash(${organizationId}::uuid, ${phoneNumber})
      returning expires_at),
    listed as (
      delete from suppressions where organization_id = ${organizationId} and phone_number = ${phoneNumber}
      returning expires_at)
    select coalesce(bool_or(one.expires_at is null or one.expires_at > (select engine_now())), false) as held
    from (select expires_at from erased union all select expires_at from listed) one`.execute(db);
  return rows[0]?.held === true;
}
