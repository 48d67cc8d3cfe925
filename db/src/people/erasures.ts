import { sql } from 'kysely';
import { newestFirst, type NewestFirst, rowInstant } from '../lists/newest-first.ts';
import type { Executor } from '../transaction.ts';
import type { ErasureCounts } from './erase-person.ts';

export interface ErasureRow {
  id: string;
  created_at: Date;
  requested_by: string | null;
  counts: ErasureCounts;
  recordings_pending: number;
  recordings_failed: number;
  row_instant: string;
}

/** Newest first. */
export async function listErasures(
  db: Executor,
  args: { organizationId: string; erasureId?: string | undefined; page: NewestFirst },
): Promise<ErasureRow[]> {
  const { organizationId, erasureId, page } = args;
  const { rows } = await sql<ErasureRow>`
    select e.id, e.created_at, e.requested_by, e.counts, ${rowInstant('e.created_at')} as row_instant,
      d.pending as recordings_pending, d.failed as recordings_failed
    from erasures e
    cross join lateral (
      select count(*) filter (where failed_at is null)::int as pending, count(failed_at)::int as failed
      from recording_deletions where erasure_id = e.id) d
    where e.organization_id = ${organizationId} and (${erasureId ?? null}::uuid is null or e.id = ${erasureId ?? null})
      ${newestFirst({ at: 'e.created_at', id: 'e.id' }, page)}`.execute(db);
  return rows;
}

/** The number of erasures of each organization, and the instant of its newest; none for those without. */
export async function countErasures(
  db: Executor,
  organizationIds: readonly string[],
): Promise<Map<string, { count: number; newest: Date }>> {
  const { rows } = await sql<{ organization_id: string; count: number; newest: Date }>`
    select organization_id, count(*)::int as count, max(created_at) as newest from erasures
    where organization_id = any(${organizationIds}::uuid[]) group by organization_id`.execute(db);
  return new Map(rows.map(({ organization_id: id, count, newest }) => [id, { count, newest }]));
}

export async function findErasure(
  db: Executor,
  { organizationId, erasureId }: { organizationId: string; erasureId: string },
): Promise<ErasureRow | null> {
  const [row] = await listErasures(db, { organizationId, erasureId, page: { limit: 1, after: null } });
  return row ?? null;
}
