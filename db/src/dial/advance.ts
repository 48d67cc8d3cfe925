import {
  judgeCarrierInstructions,
  type Abandonment,
  type CarrierInstructionRules,
  type Deferral,
  type Pace,
  type ZoneDue,
  type WaitingReason,
} from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';
import { deferred } from '../postgres/deferred.ts';
import { prepared } from '../postgres/prepared.ts';
import type { Tx } from '../transaction.ts';
import {
  definitionColumns,
  definitionTables,
  toDefinition,
  type CampaignDefinition,
  type CampaignDefinitionRow,
} from '../campaigns/campaign-definition.ts';
import { type CampaignPlan, writeCampaignStatus } from '../campaigns/campaign-lifecycle.ts';
import { lockCampaignRow, sharedCampaign } from '../campaigns/campaign-locks.ts';
import { isPaused } from '../campaigns/failures.ts';
import type { CampaignKey } from '../campaigns/wake.ts';
import { carrierInstructionRulesSql } from '../organizations/carrier-instruction-rules.ts';
import { aloneWithQuota, isLimitedByDay } from '../organizations/quota.ts';
import { sharedProviderPaces, sharedSuppressions } from '../gate-locks.ts';
import { sharedLineCaps } from '../lines/line-caps.ts';
import {
  capacityColumns,
  isLimited,
  lockCapacity,
  toCapacity,
  type Capacity,
  type CapacityRow,
} from '../lines/capacity.ts';

/** The input of an advance. Several workers may advance a campaign: they choose different recipients, and the row of the campaign decides how many each may dial. */
export interface AdvanceView {
  now: Date;
  definition: CampaignDefinition;
  provider: string;
  linesInUse: number;
  pace: Pace | null;
  /** Set if too many calls were abandoned. */
  abandonment: Abandonment | null;
  /** The reason for waiting at the last advance. */
  waitingFor: WaitingReason | null;
  /** Set if the provider refused the calls of its agent: when to try one again. */
  pausedUntil: Date | null;
  /** The earliest due instant of each zone with pending recipients. */
  earliestDueByZone: ZoneDue[];
  isLimitedByDay: boolean;
  hasCallerIds: boolean;
  /** Whether the operator allows the agent's caller id, and what the agent has the carrier do with an answered call. */
  allowsInstructions: boolean;
  /** Caps and paces are locked until the commit. What is in use is read without a lock, so use it only to choose (`lockDial`). */
  capacity: Capacity;
}

/**
 * Takes the locks of an advance that come before rows, which are also those of a gate: so a change of the campaign, of its organization's lists or of a cap
 * waits for the commit, and later advances see its result. Then reads the campaign without locking its runtime row. Null if it does not exist.
 */
export async function openAdvance(tx: Tx, campaignId: string): Promise<AdvanceView | null> {
  const of = sql`wanted.organization_id`;
  // The next statement must not wait for these locks, or its snapshot would have the status and caps from before a concurrent change.
  await deferred(
    sql`
    with wanted as materialized (select id, organization_id from campaigns where id = ${campaignId}),
    queued as materialized (
      select id, ${sharedLineCaps}, ${sharedProviderPaces}, ${sharedCampaign(of, sql`wanted.id`)},
        ${sharedSuppressions(of)}, ${aloneWithQuota(of)} from wanted)
    select count(*) from queued
    cross join lateral (select id from campaigns where id = queued.id limit 1 for share) shared`,
    tx,
  );
  return readAdvance(tx, campaignId);
}

/**
 * Locks the campaign's runtime row, and reads the campaign again. Whoever makes a recipient due or frees a line sets `wake_at` on this row, so a plan
 * that follows from this view overlooks nobody.
 */
export async function lockAdvance(tx: Tx, campaignId: string): Promise<AdvanceView | null> {
  await lockRuntime(tx, campaignId);
  return readAdvance(tx, campaignId);
}

/** What a dial may take, after the rows that say it are locked: the campaign's, and those of the organization and the provider if they are limited. */
export interface DialRoom {
  /** After all locks. */
  now: Date;
  linesInUse: number;
  pace: Pace | null;
  capacity: Capacity;
}

/** Locks the rows that a dial of chosen recipients counts in, and reads them. */
export async function lockDial(tx: Tx, view: AdvanceView): Promise<DialRoom> {
  const { id: campaignId, organizationId, priority } = view.definition;
  await lockRuntime(tx, campaignId);
  const { provider } = view;
  const locked = isLimited(view.capacity)
    ? await lockCapacity(tx, { organizationId, provider, campaignId, priority })
    : null;
  const { rows } = await sql<CapacityRow & { now: Date; lines_in_use: number; pace: Pace | null }>`
    select engine_now() as now, rt.lines_in_use, rt.pace, ${capacityColumns}
    from campaign_runtime rt join organizations o on o.id = rt.organization_id join providers p on p.name = ${provider}
    where rt.campaign_id = ${campaignId}`.execute(prepared(tx));
  const [row] = rows;
  if (!row) throw new Error('a running campaign has no runtime row');
  return { now: row.now, linesInUse: row.lines_in_use, pace: row.pace, capacity: locked ?? toCapacity(row) };
}

async function lockRuntime(tx: Tx, campaignId: string): Promise<void> {
  await deferred(sql`select from campaign_runtime where campaign_id = ${campaignId} for no key update`, tx);
}

async function readAdvance(tx: Tx, campaignId: string): Promise<AdvanceView | null> {
  const { rows } = await sql<
    CampaignDefinitionRow &
      CapacityRow & {
        due_zones: string[] | null;
        due_ats: Date[] | null;
        deferrals: Array<Deferral | null> | null;
        now: Date;
        provider: string;
        lines_in_use: number;
        pace: Pace | null;
        abandonment: Abandonment | null;
        waiting_for: WaitingReason | null;
        paused_until: Date | null;
        is_limited_by_day: boolean;
        has_caller_ids: boolean;
        instructions: { voice: unknown; rules: CarrierInstructionRules } | null;
      }
  >`select ${definitionColumns}, engine_now() as now, rt.provider, rt.lines_in_use, rt.pace, rt.waiting_for, rt.abandonment,
      case when ${isPaused} then rt.retry_at end as paused_until,
      due.zones as due_zones, due.ats as due_ats, due.deferrals, ${capacityColumns}, ${isLimitedByDay}, o.has_caller_ids,
      ${instructionsOfAgent} as instructions
    from ${definitionTables} join campaign_runtime rt on rt.campaign_id = c.id
    join organizations o on o.id = c.organization_id join providers p on p.name = rt.provider
    cross join lateral (
      select array_agg(z.zone) as zones, array_agg(d.next_attempt_at) as ats, array_agg(d.deferred_for) as deferrals
      from unnest(c.calling_keys) as z(zone) cross join lateral ${earliestOf(sql`c.id`)} d) due
    where c.id = ${campaignId}`.execute(prepared(tx));
  const row = rows[0];
  if (!row) return null;
  return {
    now: row.now,
    definition: await toDefinition(tx, row),
    provider: row.provider,
    linesInUse: row.lines_in_use,
    pace: row.pace,
    abandonment: row.abandonment,
    waitingFor: row.waiting_for,
    pausedUntil: row.paused_until,
    isLimitedByDay: row.is_limited_by_day,
    hasCallerIds: row.has_caller_ids,
    allowsInstructions:
      row.instructions === null ||
      judgeCarrierInstructions({ telephony: { voice: row.instructions.voice } }, row.instructions.rules) ===
        null,
    earliestDueByZone: (row.due_zones ?? []).flatMap((zone, n) => {
      const dueAt = row.due_ats?.[n];
      return dueAt ? [{ zone, dueAt, deferredFor: row.deferrals?.[n] ?? null }] : [];
    }),
    capacity: toCapacity(row),
  };
}

/** For `campaigns c` and `organizations o`: what the agent has the carrier do, and the rules for it. Null if nothing. */
const instructionsOfAgent = sql`(
  select jsonb_build_object('voice', a.config #> '{telephony,voice}', 'rules', ${carrierInstructionRulesSql(sql`a.config`)})
  from agents a where a.organization_id = c.organization_id and a.id = c.agent_id
    and (a.config #> '{telephony,voice}' is not null or a.config #> '{telephony,from_phone}' is not null))`;

/** The earliest due instant of each zone, with one index probe per zone. */
export async function findEarliestDueByZone(
  tx: Tx,
  campaign: Pick<CampaignDefinition, 'id' | 'callingKeys'>,
): Promise<ZoneDue[]> {
  const { rows } = await sql<{ zone: string; due_at: Date; deferred_for: Deferral | null }>`
    select z.zone, d.next_attempt_at as due_at, d.deferred_for from unnest(${campaign.callingKeys}::text[]) as z(zone)
    cross join lateral ${earliestOf(sql`${campaign.id}::uuid`)} d`.execute(prepared(tx));
  return rows.map((row) => ({ zone: row.zone, dueAt: row.due_at, deferredFor: row.deferred_for }));
}

function earliestOf(campaignId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
      select next_attempt_at, case when deferred_until = next_attempt_at then deferred_for end as deferred_for
      from campaign_recipients
      where campaign_id = ${campaignId} and calling_key = z.zone and state = 'pending'
      order by next_attempt_at limit 1)`;
}

/**
 * Stores when to advance the campaign next and what it waits for, takes its lines for calls that were dialed, and resets failures unless its
 * pause goes on. Its runtime row is locked.
 */
export async function savePlan(
  tx: Tx,
  campaignId: string,
  plan: CampaignPlan,
  { dialed, now }: { dialed: number; now: Date },
): Promise<void> {
  const ends = plan.keepsPause !== true;
  const update = sql`
    update campaign_runtime
    set wake_at = ${plan.wakeAt}, next_dial_at = ${plan.nextDialAt}, waiting_for = ${plan.waitingFor},
        lines_in_use = lines_in_use + ${dialed}::int, served_at = case when ${dialed}::int > 0 then ${now}::timestamptz else served_at end,
        failures = case when ${ends}::boolean then 0 else failures end,
        last_error = case when ${ends}::boolean then null else last_error end,
        retry_at = case when ${ends}::boolean then null else retry_at end
    where campaign_id = ${campaignId}`;
  await deferred(update, tx);
}

/** Locks and finishes a running campaign without recipients left to dial, or whose end has passed. False if the campaign changed meanwhile. */
export async function finishCampaign(tx: Tx, key: CampaignKey): Promise<boolean> {
  const { campaignId } = key;
  // The next statement must not wait for this lock, or its snapshot would lack recipients that were added meanwhile.
  await lockCampaignRow(tx, key);
  const { rows } = await sql<{ now: Date }>`
    select t.now from campaigns c cross join (select engine_now() as now) t
    where c.id = ${campaignId} and c.status = 'running' and (
      c.end_at <= t.now
      or not exists (select from campaign_recipients r
                     where r.campaign_id = c.id and r.state in ('pending', 'dialing')))`.execute(tx);
  const [row] = rows;
  if (!row) return false;
  await writeCampaignStatus(tx, { campaignId, status: 'finished', now: row.now });
  return true;
}
