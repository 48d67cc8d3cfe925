import {
  judgeCarrierInstructions,
  type Abandonment,
  type CarrierInstructionRules,
  type Deferral,
  type ZoneDue,
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
} from './campaign-definition.ts';
import { type CampaignPlan, writeCampaignStatus } from './campaign-lifecycle.ts';
import { lockCampaignRow, shareCampaignOfId } from './campaign-locks.ts';
import type { CampaignKey } from './wake.ts';
import { carrierInstructionRulesSql } from '../organizations/carrier-instruction-rules.ts';
import { isLimitedByDay } from '../organizations/quota.ts';
import { lockLineCaps } from './line-caps.ts';
import { capacityColumns, toCapacity, type Capacity, type CapacityRow } from './capacity.ts';

/** The input of an advance. The campaign's runtime row is locked until the commit, so that its advances run one at a time. */
export interface AdvanceView {
  now: Date;
  definition: CampaignDefinition;
  provider: string;
  linesInUse: number;
  nextSlotAt: Date | null;
  /** Set if too many calls were abandoned. */
  abandonment: Abandonment | null;
  /** The reason for waiting at the last advance. */
  waitingFor: string | null;
  /** The earliest due instant of each zone with pending recipients. */
  earliestDueByZone: ZoneDue[];
  isLimitedByDay: boolean;
  hasCallerIds: boolean;
  /** Whether the operator allows what the agent has the carrier do with an answered call. */
  allowsInstructions: boolean;
  /** Caps are locked until the commit. Other values are read without a lock, so lock shared rows before using them. */
  capacity: Capacity;
}

export async function openAdvance(tx: Tx, campaignId: string): Promise<AdvanceView | null> {
  await lockLineCaps(tx);
  await shareCampaignOfId(tx, campaignId);
  // The next statement must not wait for these locks, or its snapshot would have the status and caps from before a concurrent change.
  await deferred(sql`select from campaign_runtime where campaign_id = ${campaignId} for no key update`, tx);
  const { rows } = await sql<
    CampaignDefinitionRow &
      CapacityRow & {
        due_zones: string[] | null;
        due_ats: Date[] | null;
        deferrals: Array<Deferral | null> | null;
        now: Date;
        provider: string;
        lines_in_use: number;
        next_slot_at: Date | null;
        abandonment: Abandonment | null;
        waiting_for: string | null;
        is_limited_by_day: boolean;
        has_caller_ids: boolean;
        instructions: { voice: unknown; rules: CarrierInstructionRules } | null;
      }
  >`select ${definitionColumns}, engine_now() as now, rt.provider, rt.lines_in_use, rt.next_slot_at, rt.waiting_for, rt.abandonment,
      due.zones as due_zones, due.ats as due_ats, due.deferrals, ${capacityColumns}, ${isLimitedByDay}, o.has_caller_ids,
      ${instructionsOfAgent} as instructions
    from ${definitionTables} join campaign_runtime rt on rt.campaign_id = c.id
    join organizations o on o.id = c.organization_id join providers p on p.name = rt.provider
    cross join lateral (
      select array_agg(z.zone) as zones, array_agg(d.next_attempt_at) as ats, array_agg(d.deferred_for) as deferrals
      from unnest(c.zones) as z(zone) cross join lateral ${earliestOf(sql`c.id`)} d) due
    where c.id = ${campaignId}`.execute(prepared(tx));
  const row = rows[0];
  if (!row) return null;
  return {
    now: row.now,
    definition: toDefinition(row),
    provider: row.provider,
    linesInUse: row.lines_in_use,
    nextSlotAt: row.next_slot_at,
    abandonment: row.abandonment,
    waitingFor: row.waiting_for,
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

/** For `campaigns c` and `organizations o`: what the agent has the carrier do with an answered call, and the rules for it. Null if nothing. */
const instructionsOfAgent = sql`(
  select jsonb_build_object('voice', a.config #> '{telephony,voice}', 'rules', ${carrierInstructionRulesSql})
  from agents a where a.organization_id = c.organization_id and a.id = c.agent_id and a.config #> '{telephony,voice}' is not null)`;

/** The earliest due instant of each zone, with one index probe per zone. */
export async function findEarliestDueByZone(
  tx: Tx,
  campaign: Pick<CampaignDefinition, 'id' | 'zones'>,
): Promise<ZoneDue[]> {
  const { rows } = await sql<{ zone: string; due_at: Date; deferred_for: Deferral | null }>`
    select z.zone, d.next_attempt_at as due_at, d.deferred_for from unnest(${campaign.zones}::text[]) as z(zone)
    cross join lateral ${earliestOf(sql`${campaign.id}::uuid`)} d`.execute(prepared(tx));
  return rows.map((row) => ({ zone: row.zone, dueAt: row.due_at, deferredFor: row.deferred_for }));
}

function earliestOf(campaignId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
      select next_attempt_at, case when deferred_until = next_attempt_at then deferred_for end as deferred_for
      from campaign_recipients
      where campaign_id = ${campaignId} and timezone = z.zone and state = 'pending'
      order by next_attempt_at limit 1)`;
}

/** Stores when to advance the campaign next and what it waits for, and resets failures. Its runtime row is locked. */
export async function savePlan(tx: Tx, campaignId: string, plan: CampaignPlan): Promise<void> {
  const update = sql`
    update campaign_runtime
    set wake_at = ${plan.wakeAt}, next_dial_at = ${plan.nextDialAt}, waiting_for = ${plan.waitingFor},
        failures = 0, last_error = null, retry_at = null
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
                     where r.campaign_id = c.id and r.state in ('pending', 'claimed', 'dialing')))`.execute(
    tx,
  );
  const [row] = rows;
  if (!row) return false;
  await writeCampaignStatus(tx, { campaignId, status: 'finished', now: row.now });
  return true;
}
