import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';
import type { CampaignKey } from '../keys.ts';

/** Another process may take over forecasts after this time. */
const leaseMinutes = 10;

export interface DueEstimate extends CampaignKey {
  revision: number;
}

/**
 * Takes the running campaigns whose estimates are most overdue or outdated by new settings, at most `limit`. Organizations take turns, the one that has
 * waited longest first, so that those with many campaigns do not delay others. Even after a change of settings, a campaign rests after each forecast.
 * Clears estimates under earlier settings at once. Reads all running campaigns, so take several.
 */
export async function takeDueEstimates(db: Executor, { limit }: { limit: number }): Promise<DueEstimate[]> {
  const { rows } = await sql<DueEstimate>`
    with t as materialized (select engine_now() as now),
    due as materialized (
      select c.organization_id, c.id, c.revision,
        row_number() over (partition by c.organization_id order by e.next_at nulls first, c.id) as turn
      from campaigns c cross join t left join campaign_estimates e on e.campaign_id = c.id
      where c.status = 'running' and c.deleted_at is null
        and (e.campaign_id is null or e.next_at <= t.now or (e.revision <> c.revision and e.rests_until <= t.now))),
    waited as materialized (
      select o.organization_id,
        (select max(e.estimated_at) from campaign_estimates e where e.organization_id = o.organization_id) as since
      from (select distinct organization_id from due) o),
    next as (
      select due.organization_id, due.id, due.revision from due join waited on waited.organization_id = due.organization_id
      order by due.turn, waited.since nulls first, due.organization_id limit ${limit})
    insert into campaign_estimates as e (campaign_id, organization_id, revision, estimated_at, next_at, rests_until)
    select id, organization_id, revision, now, now + l.lease, now + l.lease
    from next cross join t cross join (select ${leaseMinutes} * interval '1 minute' as lease) l
    on conflict (campaign_id) do update
    set revision = excluded.revision, estimated_at = excluded.estimated_at, next_at = excluded.next_at, rests_until = excluded.rests_until,
        ends_at = case when e.revision = excluded.revision then e.ends_at end
    -- Another process may have taken it meanwhile.
    where e.next_at <= excluded.estimated_at or (e.revision <> excluded.revision and e.rests_until <= excluded.estimated_at)
    returning organization_id as "organizationId", campaign_id as "campaignId", revision`.execute(db);
  return rows;
}

/**
 * Saves an estimate, unless the campaign was taken with other settings meanwhile. An `endsAt` of null means that the end is unknown. The next
 * estimate is due after `nextInMs`, or after `restsForMs` if the settings change.
 */
export async function saveEstimate(
  db: Executor,
  {
    campaignId,
    revision,
    endsAt,
    nextInMs,
    restsForMs,
  }: DueEstimate & { endsAt: Date | null; nextInMs: number; restsForMs: number },
): Promise<void> {
  await sql`
    update campaign_estimates
    set ends_at = ${endsAt}, estimated_at = t.now, next_at = t.now + ${nextInMs} * interval '1 millisecond',
      rests_until = t.now + ${restsForMs} * interval '1 millisecond'
    from (select engine_now() as now) t
    where campaign_id = ${campaignId} and revision = ${revision}`.execute(db);
}
