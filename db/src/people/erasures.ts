import { sql } from 'kysely';
import { zoneOfKey } from '@outdial/core';
import { newestFirst, type NewestFirst, rowInstant } from '../lists/newest-first.ts';
import type { Executor } from '../transaction.ts';
import type { ErasureCounts } from './erase-person.ts';
import type { PersonKey } from '../keys.ts';

export interface ErasureRow {
  id: string;
  created_at: Date;
  requested_by: string | null;
  counts: ErasureCounts;
  recordings_pending: number;
  recordings_failed: number;
  row_instant: string;
}

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

export interface RecipientOfPerson {
  id: string;
  campaign_id: string;
  campaign_name: string;
  state: string;
  attempts: number;
  round: number;
  last_outcome: string | null;
  timezone: string;
  prompt_params: Record<string, string> | null;
  first_attempt_at: Date | null;
  next_attempt_at: Date | null;
}

interface ListedRecipientOfPerson {
  recipient: RecipientOfPerson;
  /** For the list's cursor. Unique, because a campaign has each number once. */
  position: readonly [at: string, id: string];
}

/** Recipients of the newest campaigns first. */
export async function findRecipientsOfPerson(
  db: Executor,
  person: PersonKey & { page: NewestFirst },
): Promise<ListedRecipientOfPerson[]> {
  const { rows } = await sql<
    Omit<RecipientOfPerson, 'timezone'> & { calling_key: string; row_instant: string }
  >`
    select r.id, r.campaign_id, c.name as campaign_name, r.state, r.attempts, r.round, r.last_outcome, r.calling_key,
      r.prompt_params, r.first_attempt_at, r.next_attempt_at, ${rowInstant('c.created_at')} as row_instant
    from campaigns c
    join campaign_recipients r on r.organization_id = c.organization_id and r.campaign_id = c.id
    where c.organization_id = ${person.organizationId} and r.phone_number = ${person.phoneNumber}
      ${newestFirst({ at: 'c.created_at', id: 'c.id' }, person.page)}`.execute(db);
  return rows.map(({ row_instant: instant, calling_key: key, ...row }) => ({
    recipient: { ...row, timezone: zoneOfKey(key) },
    position: [instant, row.campaign_id],
  }));
}
