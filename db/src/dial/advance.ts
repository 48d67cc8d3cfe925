import {
  judgeCarrierInstructions,
  type CarrierInstructionRules,
  type Deferral,
  type ZoneDue,
} from '@outdial/core';
import { sql, type RawBuilder, type Selectable } from 'kysely';
import { locks } from '../locks.ts';
import { anyLength } from '../postgres/any-length.ts';
import { deferred } from '../postgres/deferred.ts';
import { prepared } from '../postgres/prepared.ts';
import { faultOfRules } from '../compliance/rule-versions.ts';
import type { CampaignRuntimeTable } from '../schema/campaigns.ts';
import type { Tx } from '../transaction.ts';
import {
  definitionColumns,
  definitionTables,
  toDefinition,
  type CampaignDefinition,
  type CampaignDefinitionRow,
} from '../campaigns/campaign-definition.ts';
import {
  type CampaignPlan,
  writeCampaignStatus,
  lockCampaignRow,
  sharedCampaign,
} from '../campaigns/campaign-lifecycle.ts';
import { isPaused } from '../campaigns/failures.ts';
import type { CampaignKey } from '../keys.ts';
import { carrierInstructionRulesSql } from '../organizations/carrier-instruction-rules.ts';
import { aloneWithQuota, isLimitedByDay } from '../organizations/quota.ts';
import { sharedInstallationRules, sharedSuppressions } from '../gate-locks.ts';
import { sharedLineCaps } from '../lines/line-caps.ts';
import {
  capacityColumns,
  isLimited,
  lockCapacities,
  toCapacity,
  type Capacity,
  type CapacityRow,
} from '../lines/capacity.ts';

type Runtime = Selectable<CampaignRuntimeTable>;

/** The input of an advance. Several workers may advance a campaign: they choose different recipients, and the row of the campaign decides how many each may dial. */
export interface AdvanceView extends Pick<
  Runtime,
  'provider' | 'lines_in_use' | 'pace' | 'abandonment' | 'waiting_for'
> {
  now: Date;
  definition: CampaignDefinition;
  /** Set if the provider refused the calls of its agent: when to try one again. */
  paused_until: Date | null;
  /** The earliest due instant of each zone with pending recipients. */
  earliestDueByZone: ZoneDue[];
  is_limited_by_day: boolean;
  has_caller_ids: boolean;
  /** Why the operator's rules do not fit this release; null if they do. */
  rulesFault: string | null;
  /** Whether the operator allows the agent's caller id, and what the agent has the carrier do with an answered call. */
  allowsInstructions: boolean;
  /** Caps and paces are locked until the commit. What is in use is read without a lock, so use it only to choose (`lockDial`). */
  capacity: Capacity;
}

/**
 * Takes the locks of an advance that come before rows, which are also those of a gate: so a change of a campaign, of its organization's lists or of a cap
 * waits for the commit, and later advances see its result. Then reads the campaigns without locking their runtime rows, and leaves out those that do not
 * exist.
 * @param campaignIds of one organization
 * @param options.waits whether it waits for a change of the campaigns or their organization. Otherwise it leaves them out.
 */
export async function openAdvances(
  tx: Tx,
  campaignIds: readonly string[],
  { waits }: { waits: boolean },
): Promise<AdvanceView[]> {
  const ids = anyLength(campaignIds, 'uuid');
  const of = sql`wanted.organization_id`;
  const [campaign, rules] = waits
    ? [sharedCampaign(of, sql`wanted.id`), sharedSuppressions(of)]
    : [locks.campaign.tryShare(of, sql`wanted.id`), locks.dialingRules.tryShare(of)];
  // The next statement must not wait for these locks, or its snapshot would have the status and caps from before a concurrent change.
  const shared = await deferred<{ id: string }>(
    sql`
    with wanted as materialized (select id, organization_id from campaigns where id = any(${ids}) order by id),
    queued as materialized (
      select id, ${sharedLineCaps}, ${sharedInstallationRules}, ${campaign} as campaign,
        ${rules} as rules, ${aloneWithQuota(of)} from wanted)
    select shared.id from queued
    cross join lateral (
      select id from campaigns where id = queued.id ${waits ? sql`limit 1 for share` : sql`and queued.campaign and queued.rules limit 1 for share skip locked`}) shared`,
    tx,
  );
  const views = await readAdvances(tx, campaignIds);
  const locked = new Set((await shared.rows).map(({ id }) => id));
  return views.filter(({ definition }) => locked.has(definition.id));
}

/**
 * Locks the runtime rows of campaigns, and reads the campaigns again. Whatever makes a recipient due or frees a line sets `wake_at` on this row, so a plan
 * that follows from these views overlooks nothing.
 */
export async function lockAdvances(tx: Tx, campaignIds: readonly string[]): Promise<AdvanceView[]> {
  await lockRuntimes(tx, campaignIds);
  return readAdvances(tx, campaignIds);
}

/** What dials may take, after the rows that say it are locked: the campaigns', and those of the organization and the provider if they are limited. */
export interface DialRoom {
  /** After all locks. */
  now: Date;
  campaigns: Map<string, RoomOfCampaign>;
}

export interface RoomOfCampaign extends Pick<Runtime, 'lines_in_use' | 'pace' | 'abandonment' | 'served_at'> {
  /** Set if the provider refused the calls of its agent: when to try one again. */
  paused_until: Date | null;
  /** Of the organization and the provider, with the contenders of this campaign that are not among those of the room. */
  capacity: Capacity;
}

/**
 * Locks the rows that the dials of chosen recipients count in, and reads them.
 * @param views of one organization and provider
 */
export async function lockDials(tx: Tx, views: readonly AdvanceView[]): Promise<DialRoom> {
  const [first] = views;
  if (first === undefined) throw new Error('no campaign dials');
  const campaignIds = views.map(({ definition }) => definition.id);
  await lockRuntimes(tx, campaignIds);
  const { provider } = first;
  const locked = isLimited(first.capacity)
    ? await lockCapacities(tx, {
        organizationId: first.definition.organizationId,
        provider,
        campaigns: views.map(({ definition: { id, priority } }) => ({ id, priority })),
      })
    : null;
  const { rows } = await sql<
    CapacityRow & Omit<RoomOfCampaign, 'capacity'> & { campaign_id: string; now: Date }
  >`
    select rt.campaign_id, engine_now() as now, rt.lines_in_use, rt.pace, rt.abandonment, rt.served_at, ${pausedUntil}, ${capacityColumns}
    from campaign_runtime rt join organizations o on o.id = rt.organization_id join providers p on p.name = ${provider}
    where rt.campaign_id = any(${anyLength(campaignIds, 'uuid')})`.execute(prepared(tx));
  const [row] = rows;
  if (!row) throw new Error('a running campaign has no runtime row');
  const campaigns = rows.map((one): [string, RoomOfCampaign] => [
    one.campaign_id,
    { ...one, capacity: locked?.get(one.campaign_id) ?? toCapacity(one) },
  ]);
  return { now: row.now, campaigns: new Map(campaigns) };
}

const pausedUntil = sql`case when ${isPaused} then rt.retry_at end as paused_until`;

/** In the order of their ids, as at the end of calls. */
async function lockRuntimes(tx: Tx, campaignIds: readonly string[]): Promise<void> {
  await deferred(
    sql`select from campaign_runtime where campaign_id = any(${anyLength(campaignIds, 'uuid')}) order by campaign_id for no key update`,
    tx,
  );
}

interface AdvanceRow
  extends
    CampaignDefinitionRow,
    CapacityRow,
    Omit<AdvanceView, 'definition' | 'earliestDueByZone' | 'rulesFault' | 'allowsInstructions' | 'capacity'> {
  due_zones: string[] | null;
  due_ats: Date[] | null;
  deferrals: Array<Deferral | null> | null;
  instructions: { voice: unknown; rules: CarrierInstructionRules } | null;
}

async function readAdvances(tx: Tx, campaignIds: readonly string[]): Promise<AdvanceView[]> {
  const { rows } =
    await sql<AdvanceRow>`select ${definitionColumns}, engine_now() as now, rt.provider, rt.lines_in_use, rt.pace, rt.waiting_for, rt.abandonment,
      ${pausedUntil}, due.zones as due_zones, due.ats as due_ats, due.deferrals, ${capacityColumns}, ${isLimitedByDay}, o.has_caller_ids,
      ${instructionsOfAgent} as instructions
    from ${definitionTables} join campaign_runtime rt on rt.campaign_id = c.id
    join organizations o on o.id = c.organization_id join providers p on p.name = rt.provider
    cross join lateral (
      select array_agg(z.zone) as zones, array_agg(d.next_attempt_at) as ats, array_agg(d.deferred_for) as deferrals
      from unnest(c.calling_keys) as z(zone) cross join lateral ${earliestOf(sql`c.id`)} d) due
    where c.id = any(${anyLength(campaignIds, 'uuid')})`.execute(prepared(tx));
  const views: AdvanceView[] = [];
  for (const row of rows) views.push(await toView(tx, row));
  return views;
}

async function toView(tx: Tx, row: AdvanceRow): Promise<AdvanceView> {
  return {
    ...row,
    definition: await toDefinition(tx, row),
    rulesFault: faultOfRules(row.rules_version),
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

/** The earliest due instant of each zone of campaigns, with one index probe per zone. */
export async function findEarliestDueByZone(
  tx: Tx,
  campaigns: ReadonlyArray<Pick<CampaignDefinition, 'id' | 'callingKeys'>>,
): Promise<Map<string, ZoneDue[]>> {
  const asked = campaigns.flatMap(({ id, callingKeys }) => callingKeys.map((zone) => ({ id, zone })));
  const { rows } = await sql<{ id: string; zone: string; due_at: Date; deferred_for: Deferral | null }>`
    select z.id, z.zone, d.next_attempt_at as due_at, d.deferred_for
    from unnest(${anyLength(
      asked.map(({ id }) => id),
      'uuid',
    )}, ${anyLength(
      asked.map(({ zone }) => zone),
      'text',
    )}) as z(id, zone)
    cross join lateral ${earliestOf(sql`z.id`)} d`.execute(prepared(tx));
  const found = new Map<string, ZoneDue[]>(campaigns.map(({ id }) => [id, []]));
  for (const row of rows) {
    found.get(row.id)?.push({ zone: row.zone, dueAt: row.due_at, deferredFor: row.deferred_for });
  }
  return found;
}

function earliestOf(campaignId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
      select next_attempt_at, case when deferred_until = next_attempt_at then deferred_for end as deferred_for
      from campaign_recipients
      where campaign_id = ${campaignId} and calling_key = z.zone and state = 'pending'
      order by next_attempt_at limit 1)`;
}

export interface PlanToSave extends CampaignPlan {
  campaignId: string;
  dialed: number;
}

/**
 * Stores when to advance campaigns next and what they wait for, takes their lines for calls that were dialed, and resets failures unless a
 * pause for a fault of the agent goes on (`pauseCampaign`). A call that tries whether the pause is over prolongs it until its plan. Their runtime rows
 * are locked.
 */
export async function savePlans(tx: Tx, plans: readonly PlanToSave[], now: Date): Promise<void> {
  const rows = plans.map((plan) => ({
    id: plan.campaignId,
    wake_at: plan.wakeAt,
    next_dial_at: plan.nextDialAt,
    waiting_for: plan.waitingFor,
    dialed: plan.dialed,
  }));
  const update = sql`
    update campaign_runtime rt
    set wake_at = x.wake_at, next_dial_at = x.next_dial_at, waiting_for = x.waiting_for,
        lines_in_use = lines_in_use + x.dialed, served_at = case when x.dialed > 0 then ${now}::timestamptz else served_at end,
        failures = case when ${isPaused} then failures else 0 end,
        last_error = case when ${isPaused} then last_error end,
        retry_at = case when ${isPaused} then case when x.dialed > 0 then x.wake_at else retry_at end end
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as x(id uuid, wake_at timestamptz, next_dial_at timestamptz, waiting_for text, dialed int)
    where rt.campaign_id = x.id`;
  await deferred(update, tx);
}

/**
 * Locks and finishes a running campaign without recipients left to dial, or whose end has passed. Null if the campaign changed meanwhile. `hasOpen`:
 * recipients have to be withdrawn.
 */
export async function finishCampaign(tx: Tx, key: CampaignKey): Promise<{ hasOpen: boolean } | null> {
  const { campaignId } = key;
  // The next statement must not wait for this lock, or its snapshot would lack recipients that were added meanwhile.
  await lockCampaignRow(tx, key);
  const { rows } = await sql<{ now: Date; has_open: boolean }>`
    select t.now, open.has_open from campaigns c cross join (select engine_now() as now) t
    cross join lateral (
      select exists (
        select from campaign_recipients r where r.campaign_id = c.id and r.state in ('pending', 'dialing')) as has_open) open
    where c.id = ${campaignId} and c.status = 'running' and (c.end_at <= t.now or not open.has_open)`.execute(
    tx,
  );
  const [row] = rows;
  if (!row) return null;
  await writeCampaignStatus(tx, { campaignId, status: 'finished', now: row.now });
  return { hasOpen: row.has_open };
}
