import { sql } from 'kysely';
import { isSuppressionInForce } from '../compliance/is-suppressed.ts';
import { newestFirst, type NewestFirst, rowInstant } from '../lists/newest-first.ts';
import type { Executor } from '../transaction.ts';

export interface SuppressionRow {
  phone_number: string;
  reason: string | null;
  source: string | null;
  note: string | null;
  creator_id: string | null;
  creator_first_name: string | null;
  creator_last_name: string | null;
  created_at: Date;
  expires_at: Date | null;
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
  { organizationId, phoneNumber }: { organizationId: string; phoneNumber: string },
): Promise<SuppressionRow | null> {
  const [row] = await listSuppressions(db, { organizationId, phoneNumber, page: { limit: 1, after: null } });
  return row ?? null;
}

/** What is left of the request of an erased person; a caller who knows the number can find and remove it. */
export async function findErasedSuppression(
  db: Executor,
  { organizationId, phoneNumber }: { organizationId: string; phoneNumber: string },
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
