import { type Selectable, sql } from 'kysely';
import { isSuppressionInForce } from '../compliance/is-suppressed.ts';
import { newestFirst, type NewestFirst, rowInstant } from '../lists/newest-first.ts';
import type { SuppressionTable } from '../schema/calls.ts';
import type { Executor } from '../transaction.ts';
import type { PersonKey } from '../keys.ts';

export interface SuppressionRow extends Pick<
  Selectable<SuppressionTable>,
  'phone_number' | 'reason' | 'source' | 'note' | 'created_at' | 'expires_at'
> {
  creator_id: string | null;
  creator_first_name: string | null;
  creator_last_name: string | null;
  row_instant: string;
}

/** Newest first, without expired ones. */
export async function listSuppressions(
  db: Executor,
  args: { organizationId: string; page: NewestFirst; phoneNumber?: string | undefined },
): Promise<SuppressionRow[]> {
  const { organizationId, page, phoneNumber } = args;
  const { rows } = await sql<SuppressionRow>`
    select s.phone_number, s.reason, s.source, s.note, u.id as creator_id, u.first_name as creator_first_name,
      u.last_name as creator_last_name, s.created_at, s.expires_at, ${rowInstant('s.created_at')} as row_instant
    from suppressions s
    left join users u on u.organization_id = s.organization_id and u.id = s.created_by
    where s.organization_id = ${organizationId} and ${isSuppressionInForce(sql`(select engine_now())`)}
      and (${phoneNumber ?? null}::text is null or s.phone_number = ${phoneNumber ?? null})
      ${newestFirst({ at: 's.created_at', id: 's.phone_number' }, page)}`.execute(db);
  return rows;
}

export async function findSuppression(
  db: Executor,
  { organizationId, phoneNumber }: PersonKey,
): Promise<SuppressionRow | null> {
  const [row] = await listSuppressions(db, { organizationId, phoneNumber, page: { limit: 1, after: null } });
  return row ?? null;
}

/** What is left of the request of an erased person; a caller who knows the number can find and remove it. */
export async function findErasedSuppression(
  db: Executor,
  { organizationId, phoneNumber }: PersonKey,
): Promise<SuppressionRow | null> {
  const { rows } = await sql<SuppressionRow>`
    select ${phoneNumber}::text as phone_number, 'asked for no calls before being erased' as reason, 'erasure' as source, null as note,
      null as creator_id, null as creator_first_name, null as creator_last_name, s.created_at, s.expires_at,
      ${rowInstant('s.created_at')} as row_instant
    from erased_suppressions s
    where s.organization_id = ${organizationId} and ${isSuppressionInForce(sql`(select engine_now())`)}
      and s.number_hash = (select erased_number_hash(${organizationId}::uuid, ${phoneNumber}))`.execute(db);
  return rows[0] ?? null;
}

/**
 * Returns whether the number was on the list. Deletes an expired entry too, but returns false for it. Also deletes what is left of the request of a
 * person who was erased.
 */
export async function removeSuppression(
  db: Executor,
  { organizationId, phoneNumber }: PersonKey,
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

export async function deleteExpiredSuppressions(db: Executor, limit: number): Promise<number> {
  const result = await sql`
    delete from suppressions s using (
      select organization_id, phone_number from suppressions where expires_at <= (select engine_now())
      order by expires_at limit ${limit} for update skip locked) expired
    where s.organization_id = expired.organization_id and s.phone_number = expired.phone_number`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}
