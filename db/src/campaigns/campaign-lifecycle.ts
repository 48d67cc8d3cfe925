import type { CampaignStatus, WaitingReason } from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';
import { campaignMoved } from '../outbox/write-outbox.ts';
import type { Tx, Executor } from '../transaction.ts';
import {
  definitionColumns,
  definitionTables,
  toDefinition,
  type CampaignDefinition,
  type CampaignDefinitionRow,
} from './campaign-definition.ts';
import { locks } from '../locks.ts';
import { anyLength } from '../postgres/any-length.ts';
import { deferred, type Later } from '../postgres/deferred.ts';
import { prepared } from '../postgres/prepared.ts';
import type { CampaignKey, AgentKey } from '../keys.ts';

/**
 * Locks a campaign's row against gates and other changes. When this resolves, open gates have committed, and later gates will see the result of
 * this transaction. Null if the campaign does not exist. `replan`: `replanAtStart` has marked it since it last ran; `writeCampaignStatus` clears the mark.
 */
export async function lockCampaign(
  tx: Tx,
  args: CampaignKey,
): Promise<{ definition: CampaignDefinition; now: Date; replan: boolean } | null> {
  await lockCampaignRow(tx, args);
  const { rows } = await sql<CampaignDefinitionRow & { now: Date; replan: boolean }>`
    select ${definitionColumns}, engine_now() as now, rt.replan
    from ${definitionTables} join campaign_runtime rt on rt.campaign_id = c.id
    where c.id = ${args.campaignId} and c.organization_id = ${args.organizationId} and c.deleted_at is null`.execute(
    tx,
  );
  const row = rows[0];
  return row ? { definition: await toDefinition(tx, row), now: row.now, replan: row.replan } : null;
}

/** When to advance a campaign next, and why it does not dial now. */
export interface CampaignPlan {
  wakeAt: Date | null;
  nextDialAt: Date | null;
  waitingFor: WaitingReason | null;
}

/** Updates the status of a campaign whose row is locked, under a new revision, so that no gate passes under the earlier one. */
export async function writeCampaignStatus(
  tx: Tx,
  args: {
    campaignId: string;
    status: CampaignStatus;
    /** If the status is `running`. */
    start?: { userId: string; provider: string; plan: CampaignPlan };
    now: Date;
  },
): Promise<void> {
  const { userId = null, provider = null, plan = null } = args.start ?? {};
  const ends = args.status === 'finished' || args.status === 'canceled';
  const campaign = sql`
    with moved as (
    update campaigns
    set status = ${args.status}, revision = revision + 1, updated_at = ${args.now},
        started_by = coalesce(${userId}::uuid, started_by),
        ended_at = case when ${ends}::boolean then ${args.now}::timestamptz else ended_at end
    where id = ${args.campaignId}
    returning organization_id, id)
    ${campaignMoved(sql`moved`, args)}`;
  const runtime = sql`
    update campaign_runtime rt
    set wake_at = ${plan?.wakeAt ?? null}, next_dial_at = ${plan?.nextDialAt ?? null},
        waiting_for = ${plan?.waitingFor ?? null}, provider = coalesce(${provider}, rt.provider),
        replan = rt.replan and ${args.status} <> 'running',
        failures = 0, last_error = null, retry_at = null,
        blocked_since = null, blocked_for = null, blocked_event_at = null,
        stopped_at = case when ${args.status} <> 'running' then coalesce(rt.stopped_at, ${args.now}::timestamptz) end,
        withdrawing = ${ends}::boolean and exists (
          select from campaign_recipients r where r.campaign_id = rt.campaign_id and r.state in ('pending', 'dialing'))
    where campaign_id = ${args.campaignId}`;
  await deferred(campaign, tx);
  await deferred(runtime, tx);
}

export interface StartView {
  has_prompt: boolean;
  agent_provider: string | null;
  /** The organization's. */
  default_provider: string | null;
}

export async function viewStart(tx: Tx, args: AgentKey): Promise<StartView | null> {
  const { rows } = await sql<StartView>`
     select exists (select from agent_prompts p where p.organization_id = a.organization_id and p.agent_id = a.id) as has_prompt,
       a.config #>> '{telephony,provider}' as agent_provider, o.default_provider
     from agents a join organizations o on o.id = a.organization_id
     where a.id = ${args.agentId} and a.organization_id = ${args.organizationId} and a.deleted_at is null
     -- So that the agent is not deleted while a campaign with it is created or started.
     for key share of a`.execute(tx);
  return rows[0] ?? null;
}

/** One row if the provider exists. Sent with the next statement. */
export function findProvider(tx: Tx, name: string): Promise<Later<{ name: string }>> {
  return deferred(sql<{ name: string }>`select name from providers where name = ${name}`, tx);
}

/** Increments the revision of a locked campaign, so that no gate passes with data from before the change. */
export async function bumpRevision(tx: Tx, campaignId: string, now: Date): Promise<void> {
  await sql`update campaigns set revision = revision + 1, updated_at = ${now} where id = ${campaignId}`.execute(
    tx,
  );
}

/**
 * Gates and the ends of calls lock a campaign in share mode; changes of its status, config and numbers lock it exclusively.
 *
 * Row locks alone are not fair: a transaction that wants a row in share mode joins the current holders, and so overtakes a waiting change. With
 * commits of 10 ms and overlapping gates, a pause would wait for seconds. So both sides take an advisory lock before the row. Postgres
 * queues these in order, and a change waits only for transactions that came before it. The row lock after it protects against statements that do not
 * use this queue.
 *
 * This one takes the advisory lock of a campaign in share mode, for a statement that locks its row afterwards.
 */
export function sharedCampaign(
  organizationId: RawBuilder<unknown>,
  campaignId: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return locks.campaign.share(organizationId, campaignId);
}

/**
 * Locks the campaigns of calls in share mode until the commit, in the order of their ids, so that their status, schedule and config do not
 * change. Call it after locking the caps of lines (line-caps.ts) and before the rows of calls and recipients.
 * The next statement sees everything that was committed before these locks were granted.
 * @param options.waits whether it waits for campaigns that a change holds; it is then sent with the next statement. Otherwise it leaves them out.
 * @returns the campaigns that were left out, by call
 */
export async function shareCampaignsOfCalls(
  tx: Tx,
  callIds: readonly string[],
  { waits }: { waits: boolean } = { waits: true },
): Promise<ReadonlyMap<string, CampaignKey>> {
  if (callIds.length === 0) return new Map();
  const campaign = (waits ? sharedCampaign : locks.campaign.tryShare)(sql`organization_id`, sql`id`);
  const statement = sql<{ call_id: string; id: string; organization_id: string }>`
    with asked as materialized (
      select x.id as call_id, c.campaign_id as id, c.organization_id from unnest(${anyLength(callIds, 'uuid')}) as x(id)
      cross join lateral (select campaign_id, organization_id from calls where id = x.id limit 1) c
      where c.campaign_id is not null),
    wanted as materialized (select distinct id, organization_id from asked order by 1),
    queued as materialized (select id, ${campaign} as campaign from wanted),
    locked as materialized (
      select shared.id from queued cross join lateral (
        select id from campaigns where id = queued.id ${waits ? sql`limit 1 for share` : sql`and queued.campaign limit 1 for share skip locked`}) shared)
    select asked.* from asked left join locked on locked.id = asked.id where locked.id is null`;
  if (waits) {
    await deferred(statement, tx);
    return new Map();
  }
  const { rows } = await statement.execute(prepared(tx));
  return new Map(
    rows.map((row) => [row.call_id, { organizationId: row.organization_id, campaignId: row.id }]),
  );
}

/**
 * Locks a campaign's row exclusively until the commit. When the next statement runs, open gates and ends of calls have committed,
 * and later ones see the result of this transaction.
 */
export async function lockCampaignRow(tx: Tx, { organizationId, campaignId }: CampaignKey): Promise<void> {
  await deferred(sql`select ${locks.campaign.take(organizationId, campaignId)}`, tx);
  await deferred(
    sql`select from campaigns where id = ${campaignId} and organization_id = ${organizationId} for no key update`,
    tx,
  );
}

/** Marks a campaign whose row is locked as deleted, and forgets what it holds about its people. Calls have their own copy of their values. */
export async function deleteCampaign(tx: Tx, campaignId: string, now: Date): Promise<void> {
  await tx
    .updateTable('campaigns')
    .set({ deleted_at: now, additional_params: '{}', prompt_params: '{}', recipient_params: null })
    .where('id', '=', campaignId)
    .execute();
}

/**
 * Erases a batch of recipients of one deleted campaign that is withdrawn and whose calls are over, except those with calls, and returns how many. Null
 * if no campaign is left, or the rest is locked.
 */
export async function eraseDeletedCampaign(db: Executor, limit: number): Promise<number | null> {
  const { rows } = await sql<{ id: string; organization_id: string }>`
    select id, organization_id from campaigns c where deleted_at is not null and erased_at is null
      -- Its recipients have no event yet.
      and not exists (select from campaign_runtime rt where rt.campaign_id = c.id and rt.withdrawing)
      -- An attempt that is undone leaves a recipient without calls.
      and not exists (select from campaign_recipients r where r.campaign_id = c.id and r.state = 'dialing')
    order by deleted_at limit 1`.execute(db);
  const [campaign] = rows;
  if (campaign === undefined) return null;
  const withoutCalls = sql`
    select r.organization_id, r.campaign_id, r.id from campaign_recipients r
    where r.organization_id = ${campaign.organization_id} and r.campaign_id = ${campaign.id}
      and not exists (select from calls c where c.recipient_id = r.id)`;
  const result = await sql`
    delete from campaign_recipients where (organization_id, campaign_id, id) in (${withoutCalls} limit ${limit} for update skip locked)`.execute(
    db,
  );
  const erased = Number(result.numAffectedRows ?? 0n);
  if (erased === limit) return erased;
  const finished = await sql`
    update campaigns set erased_at = engine_now() where id = ${campaign.id} and not exists (${withoutCalls})`.execute(
    db,
  );
  return erased > 0 || finished.numAffectedRows === 1n ? erased : null;
}
