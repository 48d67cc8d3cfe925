import { type Selectable, sql } from 'kysely';
import { newestFirst, type NewestFirst, rowInstant } from '../lists/newest-first.ts';
import type { AuditLogTable } from '../schema/lifecycle.ts';
import type { Executor } from '../transaction.ts';
import type { AuditChanges } from '../audit/audit-scope.ts';

export interface AuditLogRow extends Omit<Selectable<AuditLogTable>, 'changes'> {
  /** With microseconds, for the list's cursor. */
  row_instant: string;
  first_name: string | null;
  last_name: string | null;
  changes: AuditChanges;
}

export interface AuditFilters {
  action?: string | undefined;
  userId?: string | undefined;
  targetId?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
}

/** Newest first. An `organizationId` of null returns operators' changes of the installation. */
export async function listAuditLog(
  db: Executor,
  {
    organizationId,
    filters,
    page,
  }: { organizationId: string | null; filters: AuditFilters; page: NewestFirst },
): Promise<AuditLogRow[]> {
  const { action, userId, targetId, from, to } = filters;
  const { rows } = await sql<AuditLogRow>`
    select l.id, l.organization_id, l.created_at, ${rowInstant('l.created_at')} as row_instant, l.action, l.actor_type,
      l.user_id, u.first_name, u.last_name, l.operator, l.credential_type, l.credential_id, l.ip, l.target_type,
      l.target_id, l.changes, l.fields
    from audit_log l
    left join users u on u.organization_id = l.organization_id and u.id = l.user_id
    where ${organizationId === null ? sql`l.organization_id is null` : sql`l.organization_id = ${organizationId}`}
      and (${action ?? null}::text is null or l.action = ${action ?? null})
      and (${userId ?? null}::uuid is null or l.user_id = ${userId ?? null})
      and (${targetId ?? null}::text is null or l.target_id = ${targetId ?? null})
      and (${from ?? null}::timestamptz is null or l.created_at >= ${from ?? null})
      and (${to ?? null}::timestamptz is null or l.created_at < ${to ?? null})
      ${newestFirst({ at: 'l.created_at', id: 'l.id' }, page)}`.execute(db);
  return rows;
}
