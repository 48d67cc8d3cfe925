import { sql } from 'kysely';
import { deferred } from '../postgres/deferred.ts';
import { prepared } from '../postgres/prepared.ts';
import { recipientsFinished } from '../outbox/write-outbox.ts';
import type { Executor, Tx } from '../transaction.ts';
import type { CampaignKey } from '../keys.ts';
import { sharedCampaign } from './campaign-lifecycle.ts';

/** It waits for its own calls, and has none. */
const callsAreOver = sql<boolean>`
  rt.lines_in_use = 0 and coalesce(rt.waiting_for in ('calls_in_progress', 'campaign_line', 'abandonment'), false)`;

export async function organizationsOfCampaigns(
  db: Executor,
  campaignIds: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; organization_id: string }>`
    select id, organization_id from campaigns where id = any(${campaignIds}::uuid[])`.execute(prepared(db));
  return new Map(rows.map((row) => [row.id, row.organization_id]));
}

/**
 * Takes the campaigns whose `wake_at` has come: of each organization the longest due one, then the second of each, and so on. Postpones
 * `wake_at` to `republishAt`. The published advance sets it again. If that job is lost, this finds the campaign again. A campaign whose calls have all ended
 * waits for them no longer, and is due from now on.
 */
export async function takeDueCampaigns(
  tx: Tx,
  args: { now: Date; republishAt: Date; limit: number },
): Promise<CampaignKey[]> {
  const { rows } = await sql<{ campaign_id: string; organization_id: string }>`
    with turns as materialized (
      select campaign_id from (
        select campaign_id, wake_at, row_number() over (partition by organization_id order by wake_at) as turn
        from campaign_runtime where wake_at <= ${args.now}) ranked
      order by turn, wake_at limit ${args.limit}),
    due as materialized (
      select campaign_id from campaign_runtime
      where campaign_id in (select campaign_id from turns) and wake_at <= ${args.now}
      for no key update skip locked)
    update campaign_runtime rt set wake_at = ${args.republishAt},
      waiting_for = case when ${callsAreOver} then null else rt.waiting_for end,
      next_dial_at = case when ${callsAreOver} then ${args.now} else rt.next_dial_at end
    from due where rt.campaign_id = due.campaign_id
    returning rt.campaign_id, rt.organization_id`.execute(tx);
  return rows.map((row) => ({ campaignId: row.campaign_id, organizationId: row.organization_id }));
}

/** The earliest wake-up of a campaign; null if there is none. */
export async function findNextDue(db: Executor): Promise<{ now: Date; dueAt: Date | null }> {
  const { rows } = await sql<{ now: Date; due_at: Date | null }>`
    select engine_now() as now,
      (select min(wake_at) from campaign_runtime where wake_at is not null) as due_at`.execute(db);
  const row = rows[0];
  if (!row) throw new Error('engine_now() returned no row');
  return { now: row.now, dueAt: row.due_at };
}

/**
 * Wakes running campaigns that would otherwise stay idle: without a wake-up and without work in progress, waiting for a line although one is
 * free, or with a wake-up further ahead than their plan because the clock was set back.
 */
export async function wakeStrandedCampaigns(
  tx: Tx,
  args: { now: Date; limit: number },
): Promise<CampaignKey[]> {
  const { rows } = await sql<{ campaign_id: string; organization_id: string }>`
    with stranded as materialized (
      select rt.campaign_id from campaign_runtime rt
      join campaigns c on c.id = rt.campaign_id
      join organizations o on o.id = rt.organization_id
      join providers p on p.name = rt.provider
      join campaign_configs f on f.organization_id = rt.organization_id and f.campaign_id = rt.campaign_id
      where c.status = 'running' and (rt.wake_at is null or rt.wake_at > ${args.now}) and (
        (rt.lines_in_use = 0 and rt.wake_at is null) or (${callsAreOver})
        or (rt.waiting_for in ('organization_line', 'provider_line')
            and (o.max_lines is null or o.lines_in_use < o.max_lines)
            and (p.max_lines is null or p.lines_in_use < p.max_lines))
        -- These wake-ups are never further ahead than some seconds, or one slot.
        or (rt.wake_at > ${args.now}::timestamptz + interval '10 seconds' and (
          rt.waiting_for is null
          or (rt.waiting_for in ('window', 'calling_hours', 'retry', 'provider') and rt.next_dial_at <= ${args.now})
          or (rt.waiting_for = 'calls_per_second'
              and rt.wake_at > ${args.now}::timestamptz + interval '10 seconds'
                + 1 / least(f.calls_per_second, p.calls_per_second) * interval '1 second'))))
      limit ${args.limit} for no key update of rt skip locked)
    update campaign_runtime rt set wake_at = ${args.now} from stranded where rt.campaign_id = stranded.campaign_id
    returning rt.campaign_id, rt.organization_id`.execute(tx);
  return rows.map((row) => ({ campaignId: row.campaign_id, organizationId: row.organization_id }));
}

/** Schedules an advance of a campaign by `at`. */
export async function wakeCampaign(tx: Tx, campaignId: string, at: Date): Promise<void> {
  await sql`update campaign_runtime set wake_at = least(wake_at, ${at}) where campaign_id = ${campaignId}`.execute(
    tx,
  );
}

/** Ended campaigns with recipients to withdraw, those of organizations in turn. Leaves out a campaign whose job failed until its delay is over. */
export async function findWithdrawingCampaigns(db: Executor, limit: number): Promise<CampaignKey[]> {
  const { rows } = await sql<{ campaign_id: string; organization_id: string }>`
    select campaign_id, organization_id from campaign_runtime
    where withdrawing and (retry_at is null or retry_at <= (select engine_now()))
    order by row_number() over (partition by organization_id order by campaign_id) limit ${limit}`.execute(
    db,
  );
  return rows.map((row) => ({ campaignId: row.campaign_id, organizationId: row.organization_id }));
}

/** Campaigns that ended within a day and have waiting recipients, but no job to withdraw them. */
export async function findForgottenCampaigns(db: Executor, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select c.id from campaigns c join campaign_runtime rt on rt.campaign_id = c.id
    where c.status in ('finished', 'canceled') and c.ended_at > (select engine_now()) - interval '1 day' and not rt.withdrawing
      and exists (select from campaign_recipients r where r.campaign_id = c.id and r.state = 'pending')
    limit ${limit}`.execute(db);
  return rows.map((row) => row.id);
}

export async function resumeWithdrawing(tx: Tx, campaignIds: readonly string[]): Promise<void> {
  await sql`update campaign_runtime set withdrawing = true where campaign_id = any(${campaignIds}::uuid[])`.execute(
    tx,
  );
}

/**
 * Withdraws a chunk of the waiting recipients of an ended campaign, and returns how many. Clears `withdrawing` after the last one, unless there
 * are calls whose attempt may be undone. Without a limit it withdraws all of them and leaves the flag to the caller.
 */
export async function withdrawChunk(
  tx: Tx,
  args: { campaignId: string; now: Date; limit: number | null },
): Promise<number> {
  // So that no recipient of a campaign that is opened again meanwhile is withdrawn.
  await deferred(
    sql`select ${sharedCampaign(sql`organization_id`, sql`id`)} from campaigns where id = ${args.campaignId}`,
    tx,
  );
  const { rows } = await sql<{ count: number }>`
    with chunk as materialized (
      select r.organization_id, r.campaign_id, r.id, c.ended_at from campaign_recipients r join campaigns c on c.id = r.campaign_id
      where r.campaign_id = ${args.campaignId} and r.state = 'pending' and c.status in ('finished', 'canceled')
      limit ${args.limit} for no key update of r ${args.limit === null ? sql`` : sql`skip locked`}),
    changed as (
      update campaign_recipients r
      set state = 'withdrawn', withdrawn_at = greatest(${args.now}, chunk.ended_at), next_attempt_at = null,
          finish_reason = 'campaign_ended'
      from chunk where r.organization_id = chunk.organization_id and r.campaign_id = chunk.campaign_id and r.id = chunk.id
      returning r.*),
    events as (${recipientsFinished(sql`changed`, { reason: 'campaign_ended', now: args.now })})
    select count(*)::int as count from changed`.execute(tx);
  const count = rows[0]?.count ?? 0;
  if (args.limit !== null && count < args.limit) {
    await sql`
      update campaign_runtime rt set withdrawing = false, failures = 0, last_error = null, retry_at = null
      where campaign_id = ${args.campaignId} and not exists (
        select from campaign_recipients r where r.campaign_id = rt.campaign_id and r.state in ('pending', 'dialing'))
      `.execute(tx);
  }
  return count;
}

export interface OwnerAndProvider {
  organizationId: string;
  provider: string;
}

export async function ownerAndProviderOf(db: Executor, campaignId: string): Promise<OwnerAndProvider | null> {
  const { rows } = await sql<OwnerAndProvider>`
    select organization_id as "organizationId", provider from campaign_runtime
    where campaign_id = ${campaignId}`.execute(prepared(db));
  return rows[0] ?? null;
}
