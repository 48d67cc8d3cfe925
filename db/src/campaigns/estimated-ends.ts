import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';

/** A forecast in progress is left to its process for so long. */
const leaseMinutes = 10;
/** A campaign whose settings change again and again is not forecast again more often. */
const shortestSeconds = 10;

export interface DueEstimate {
  organizationId: string;
  campaignId: string;
  revision: number;
}

/**
 * Takes the running campaign whose estimate is most overdue, or was made under other settings. Null if none is due. An estimate under
 * other settings is forgotten at once.
 */
export async function takeDueEstimate(db: Executor): Promise<DueEstimate | null> {
  const { rows } = await sql<DueEstimate>`
    with t as materialized (select engine_now() as now),
    due as (
      select c.organization_id, c.id, c.revision, t.now
      from campaigns c cross join t left join campaign_estimates e on e.campaign_id = c.id
      where c.status = 'running' and c.deleted_at is null
        and (e.campaign_id is null or e.next_at <= t.now
          or (e.revision <> c.revision and e.estimated_at <= t.now - ${shortestSeconds} * interval '1 second'))
      order by e.next_at nulls first, c.id limit 1)
    insert into campaign_estimates as e (campaign_id, organization_id, revision, estimated_at, next_at)
    select id, organization_id, revision, now, now + ${leaseMinutes} * interval '1 minute' from due
    on conflict (campaign_id) do update
    set revision = excluded.revision, estimated_at = excluded.estimated_at, next_at = excluded.next_at,
        ends_at = case when e.revision = excluded.revision then e.ends_at end
    -- Another process may have taken it since it was found.
    where e.next_at <= excluded.estimated_at or e.revision <> excluded.revision
    returning organization_id as "organizationId", campaign_id as "campaignId", revision`.execute(db);
  return rows[0] ?? null;
}

/** Keeps an estimate, unless the campaign was taken under other settings in the meantime. `endsAt` null: no end can be forecast. */
export async function saveEstimate(
  db: Executor,
  { campaignId, revision, endsAt, nextInMs }: DueEstimate & { endsAt: Date | null; nextInMs: number },
): Promise<void> {
  await sql`
    update campaign_estimates
    set ends_at = ${endsAt}, estimated_at = t.now, next_at = t.now + ${nextInMs} * interval '1 millisecond'
    from (select engine_now() as now) t
    where campaign_id = ${campaignId} and revision = ${revision}`.execute(db);
}
