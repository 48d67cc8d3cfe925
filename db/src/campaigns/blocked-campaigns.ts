import { blockingReasons, type WaitingReason } from '@outdial/core';
import { sql } from 'kysely';
import { campaignsBlocked } from '../outbox/write-outbox.ts';
import type { Executor, Tx } from '../transaction.ts';
import type { CampaignKey } from '../keys.ts';

/** After this time without a call, a campaign is blocked, and its organization gets an event. */
const blockedAfterMinutes = 5;

/**
 * Records since when running campaigns wait for something that blocks all of their calls, and writes `campaign.blocked` once after five
 * minutes. A dial restarts the wait. Reads all running campaigns once and only writes changed ones.
 */
export async function markBlockedCampaigns(tx: Tx, { limit }: { limit: number }): Promise<MarkedCampaigns> {
  const { rows } = await sql<MarkedCampaigns>`
    with t as materialized (select engine_now() as now),
    seen as materialized (
      select rt.campaign_id, rt.blocked_since, rt.blocked_for, rt.blocked_event_at,
        -- Hours without a next instant never meet the window.
        case when s.reason = any(${blockingReasons}::text[]) or (s.reason = 'calling_hours' and rt.next_dial_at is null) then s.reason end as reason,
        case when rt.served_at > rt.blocked_since then null else rt.blocked_since end as since
      from campaign_runtime rt join campaigns c on c.id = rt.campaign_id left join providers p on p.name = rt.provider
      cross join lateral (select ${effectiveWaitingFor} as reason) s
      where c.status = 'running' and c.deleted_at is null),
    changed as materialized (
      select seen.campaign_id, reason,
        case when reason is not null then coalesce(since, t.now) end as since,
        case when reason is not null and since is not null then blocked_event_at end as event_at,
        coalesce(since <= t.now - ${blockedAfterMinutes} * interval '1 minute', false)
          and reason is not null and blocked_event_at is null as needs_event,
        t.now
      from seen cross join t
      where (reason is null and blocked_since is not null)
        or (reason is not null and (since is null or reason is distinct from blocked_for
          or (blocked_event_at is null and since <= t.now - ${blockedAfterMinutes} * interval '1 minute')))
      order by seen.campaign_id limit ${limit}),
    locked as materialized (
      select changed.* from campaign_runtime rt join changed on changed.campaign_id = rt.campaign_id
      -- Asked again: it may have been paused since.
      where rt.stopped_at is null
      order by rt.campaign_id for no key update of rt skip locked),
    marked as (
      update campaign_runtime rt
      set blocked_since = locked.since, blocked_for = locked.reason,
          blocked_event_at = case when locked.needs_event then locked.now else locked.event_at end
      from locked where rt.campaign_id = locked.campaign_id
      returning rt.organization_id, rt.campaign_id as id, locked.needs_event, locked.reason, locked.since, locked.now),
    reported as (${campaignsBlocked(sql`marked where needs_event`)})
    select count(*)::int as changed, count(*) filter (where needs_event)::int as reported from marked`.execute(
    tx,
  );
  return rows[0] ?? { changed: 0, reported: 0 };
}

export interface MarkedCampaigns {
  changed: number;
  reported: number;
}

export interface BlockedCampaign extends CampaignKey {
  name: string;
  reason: string;
  since: Date;
  /** Of the campaign's jobs, or of its provider. */
  lastError: string | null;
}

/** Of all organizations, the longest blocked first. */
export async function listBlockedCampaigns(
  db: Executor,
  { limit }: { limit: number },
): Promise<BlockedCampaign[]> {
  const { rows } = await sql<BlockedCampaign>`
    select rt.organization_id as "organizationId", rt.campaign_id as "campaignId", c.name, rt.blocked_for as reason,
      rt.blocked_since as since, 
      coalesce(rt.last_error, case when rt.blocked_for in ('provider', 'no_adapter') then p.closed_reason end) as "lastError"
    from campaigns c join campaign_runtime rt on rt.campaign_id = c.id left join providers p on p.name = rt.provider
    where c.status = 'running' and rt.blocked_since is not null
    order by rt.blocked_since, rt.campaign_id limit ${limit}`.execute(db);
  return rows;
}

/** Workers say every five seconds that they are alive. */
const deadAfterSeconds = 20;
/** A campaign that has been due for longer than this is stuck. */
const dueForSeconds = 10;

const isStuck = sql<boolean>`coalesce(rt.next_dial_at <= (select engine_now()) - ${sql.lit(dueForSeconds)} * interval '1 second', false)`;

/** Somebody dials at the pace of the provider, for which its campaigns wait in line. */
const isPaceUsed = sql<boolean>`(p.pace ->> 'nextAtMs')::float8
  > extract(epoch from (select engine_now())) * 1000 - ${sql.lit(dueForSeconds)} * 1000`;

/** A standby, or a primary that was demoted: nothing can be dialed, and workers cannot even say that they are alive. */
export const isReadOnly = sql<boolean>`(pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on')`;

/**
 * What a campaign waits for, from `campaign_runtime rt` and `providers p`: the result of its last advance, or what prevents any advance.
 * This is the only place that decides it. Null while it dials. Where the time of a next dial has passed, the reason of the last advance is no longer true,
 * unless it is a line, whose end wakes the campaign, or its turn at the pace of its provider: no worker is there, or what brings the campaign to one, the
 * queue or the scheduler, does not work.
 */
export const effectiveWaitingFor = sql<WaitingReason | null>`case
  when rt.waiting_for in ('error', 'window') and not ${isStuck} then rt.waiting_for
  when ${isReadOnly} then 'error'
  when p.closed_until > (select engine_now()) then case p.closed_reason when 'no_adapter' then 'no_adapter' else 'provider' end
  when not ${isStuck} then rt.waiting_for
  when not exists (
    select from workers w where w.seen_at > clock_timestamp() - ${sql.lit(deadAfterSeconds)} * interval '1 second') then 'no_worker'
  when rt.waiting_for in ('campaign_line', 'abandonment', 'organization_line', 'provider_line') then rt.waiting_for
  when rt.waiting_for = 'calls_per_second' and ${isPaceUsed} then rt.waiting_for
  else 'error' end`;
