import type { CampaignStatus, WaitingReason } from '@outdial/core';
import { sql } from 'kysely';
import { campaignMoved } from '../outbox/event-rows.ts';
import type { Tx } from '../transaction.ts';
import { lockCampaignRow } from './campaign-locks.ts';
import {
  definitionColumns,
  definitionTables,
  toDefinition,
  type CampaignDefinition,
  type CampaignDefinitionRow,
} from './campaign-definition.ts';

/**
 * Locks a campaign's row against gates and other changes. When this resolves, open gates have committed, and later gates will see the result of
 * this transaction. Null if the campaign does not exist.
 */
export async function lockCampaign(
  tx: Tx,
  args: { organizationId: string; campaignId: string },
): Promise<{ definition: CampaignDefinition; now: Date } | null> {
  await lockCampaignRow(tx, args);
  const { rows } = await sql<CampaignDefinitionRow & { now: Date }>`
    select ${definitionColumns}, engine_now() as now from ${definitionTables}
    where c.id = ${args.campaignId} and c.organization_id = ${args.organizationId} and c.deleted_at is null`.execute(
    tx,
  );
  const row = rows[0];
  return row ? { definition: await toDefinition(tx, row), now: row.now } : null;
}

/** When to advance a campaign next, and why it does not dial now. */
export interface CampaignPlan {
  wakeAt: Date | null;
  nextDialAt: Date | null;
  waitingFor: WaitingReason | null;
  /** The pause for a fault of its agent goes on (`pauseCampaign`). */
  keepsPause?: boolean;
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
  await sql`
    with moved as (
    update campaigns
    set status = ${args.status}, revision = revision + 1, updated_at = ${args.now},
        started_by = coalesce(${userId}::uuid, started_by),
        ended_at = case when ${ends}::boolean then ${args.now}::timestamptz else ended_at end
    where id = ${args.campaignId}
    returning organization_id, id)
    ${campaignMoved(sql`moved`, args)}`.execute(tx);
  await sql`
    update campaign_runtime rt
    set wake_at = ${plan?.wakeAt ?? null}, next_dial_at = ${plan?.nextDialAt ?? null},
        waiting_for = ${plan?.waitingFor ?? null}, provider = coalesce(${provider}, rt.provider),
        replan = rt.replan and ${args.status} <> 'running',
        failures = 0, last_error = null, retry_at = null,
        blocked_since = null, blocked_for = null, blocked_event_at = null,
        stopped_at = case when ${args.status} <> 'running' then coalesce(rt.stopped_at, ${args.now}::timestamptz) end,
        withdrawing = ${ends}::boolean and exists (
          select from campaign_recipients r where r.campaign_id = rt.campaign_id and r.state in ('pending', 'dialing'))
    where campaign_id = ${args.campaignId}`.execute(tx);
}

/** What starting a campaign needs to know about its agent and organization. */
export interface StartView {
  hasPrompt: boolean;
  agentProvider: string | null;
  organizationProvider: string | null;
}

export async function viewStart(
  tx: Tx,
  args: { organizationId: string; agentId: string },
): Promise<StartView | null> {
  const { rows } = await sql<{
    has_prompt: boolean;
    agent_provider: string | null;
    default_provider: string | null;
  }>`select exists (select from agent_prompts p where p.organization_id = a.organization_id and p.agent_id = a.id) as has_prompt,
       a.config #>> '{telephony,provider}' as agent_provider, o.default_provider
     from agents a join organizations o on o.id = a.organization_id
     where a.id = ${args.agentId} and a.organization_id = ${args.organizationId} and a.deleted_at is null
     -- So that the agent is not deleted while a campaign with it is created or started.
     for key share of a`.execute(tx);
  const row = rows[0];
  if (!row) return null;
  return {
    hasPrompt: row.has_prompt,
    agentProvider: row.agent_provider,
    organizationProvider: row.default_provider,
  };
}

export async function providerExists(tx: Tx, name: string): Promise<boolean> {
  const row = await tx.selectFrom('providers').select('name').where('name', '=', name).executeTakeFirst();
  return row !== undefined;
}

/** Increments the revision of a locked campaign, so that no gate passes with data from before the change. */
export async function bumpRevision(tx: Tx, campaignId: string, now: Date): Promise<void> {
  await sql`update campaigns set revision = revision + 1, updated_at = ${now} where id = ${campaignId}`.execute(
    tx,
  );
}
