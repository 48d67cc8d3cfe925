import type { SharedLines, ZoneDue } from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';
import { deferred } from '../deferred.ts';
import type { Tx } from '../transaction.ts';
import {
  definitionColumns,
  definitionTables,
  toDefinition,
  type CampaignDefinition,
  type CampaignDefinitionRow,
} from './campaign-definition.ts';

/** What an advance decides by. The campaign's runtime row is held from here to the commit, so advances of one campaign follow one another. */
export interface AdvanceView {
  now: Date;
  definition: CampaignDefinition;
  provider: string;
  linesInUse: number;
  nextSlotAt: Date | null;
  /** What it waited for when it was last looked at. */
  waitingFor: string | null;
  /** The zones that have pending recipients, each with its earliest due instant. */
  dues: ZoneDue[];
}

export async function openAdvance(tx: Tx, campaignId: string): Promise<AdvanceView | null> {
  // A statement of its own: one that waited for this lock would still read the status from before a pause that held it.
  await deferred(sql`select from campaign_runtime where campaign_id = ${campaignId} for no key update`, tx);
  const { rows } = await sql<
    CampaignDefinitionRow & {
      due_zones: string[] | null;
      due_ats: Date[] | null;
      now: Date;
      provider: string;
      lines_in_use: number;
      next_slot_at: Date | null;
      waiting_for: string | null;
    }
  >`select ${definitionColumns}, engine_now() as now, rt.provider, rt.lines_in_use, rt.next_slot_at, rt.waiting_for,
      due.zones as due_zones, due.ats as due_ats
    from ${definitionTables} join campaign_runtime rt on rt.campaign_id = c.id
    cross join lateral (
      select array_agg(z.zone) as zones, array_agg(d.next_attempt_at) as ats
      from unnest(c.zones) as z(zone) cross join lateral ${earliestOf(sql`c.id`)} d) due
    where c.id = ${campaignId}`.execute(tx);
  const row = rows[0];
  if (!row) return null;
  return {
    now: row.now,
    definition: toDefinition(row),
    provider: row.provider,
    linesInUse: row.lines_in_use,
    nextSlotAt: row.next_slot_at,
    waitingFor: row.waiting_for,
    dues: (row.due_zones ?? []).flatMap((zone, n) => {
      const dueAt = row.due_ats?.[n];
      return dueAt ? [{ zone, dueAt }] : [];
    }),
  };
}

/** The earliest due instant of each zone; one probe of an index a zone, whatever the campaign's size. */
export async function findZoneDues(
  tx: Tx,
  campaign: Pick<CampaignDefinition, 'id' | 'zones'>,
): Promise<ZoneDue[]> {
  const { rows } = await sql<{ zone: string; due_at: Date }>`
    select z.zone, d.next_attempt_at as due_at from unnest(${campaign.zones}::text[]) as z(zone)
    cross join lateral ${earliestOf(sql`${campaign.id}::uuid`)} d`.execute(tx);
  return rows.map((row) => ({ zone: row.zone, dueAt: row.due_at }));
}

function earliestOf(campaignId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
      select next_attempt_at from campaign_recipients
      where campaign_id = ${campaignId} and timezone = z.zone and state = 'pending'
      order by next_attempt_at limit 1)`;
}

/** What the organization and the provider have to give. Their rows are held until the commit. */
export interface Capacity {
  organization: SharedLines;
  provider: SharedLines & {
    callsPerSecond: number | null;
    nextSlotAt: Date | null;
    closedUntil: Date | null;
    failuresInARow: number;
  };
}

interface CapacityArgs {
  organizationId: string;
  provider: string;
  campaignId: string;
  priority: number;
}

export async function holdCapacity(tx: Tx, args: CapacityArgs): Promise<Capacity> {
  const { rows } = await sql<{
    org_in_use: number;
    org_max: number | null;
    lines_in_use: number;
    max_lines: number | null;
    calls_per_second: number | null;
    next_slot_at: Date | null;
    closed_until: Date | null;
    failures_in_a_row: number;
  }>`
    with o as materialized (
      select lines_in_use as org_in_use, max_lines as org_max from organizations
      where id = ${args.organizationId} for no key update)
    select o.org_in_use, o.org_max, p.lines_in_use, p.max_lines, p.calls_per_second, p.next_slot_at, p.closed_until,
      p.failures_in_a_row
    from o cross join providers p where p.name = ${args.provider} for no key update of p`.execute(tx);
  const row = rows[0];
  if (!row) throw new Error(`no row for the organization or the provider ${args.provider}`);
  // Without a cap nobody waits for a line, so there is nobody to share with.
  const contenders =
    row.org_max === null && row.max_lines === null ? nobody : await countContenders(tx, args);
  return {
    organization: {
      inUse: row.org_in_use,
      max: row.org_max,
      ...contenders.organization,
    },
    provider: {
      inUse: row.lines_in_use,
      max: row.max_lines,
      ...contenders.provider,
      callsPerSecond: row.calls_per_second,
      nextSlotAt: row.next_slot_at,
      closedUntil: row.closed_until,
      failuresInARow: row.failures_in_a_row,
    },
  };
}

type Contenders = Record<'organization' | 'provider', { queuedCalls: number; rivals: number; ahead: number }>;

const nobody: Contenders = {
  organization: { queuedCalls: 0, rivals: 0, ahead: 0 },
  provider: { queuedCalls: 0, rivals: 0, ahead: 0 },
};

/** Who else waits for these lines: calls that go first, and other campaigns of at least this priority. */
async function countContenders(tx: Tx, args: CapacityArgs): Promise<Contenders> {
  const { rows } = await sql<{
    org_queued: number;
    provider_queued: number;
    org_rivals: number;
    org_ahead: number;
    provider_rivals: number;
    provider_ahead: number;
  }>`
    with queued as (
      select count(*) filter (where organization_id = ${args.organizationId})::int as org_queued,
             count(*) filter (where provider = ${args.provider})::int as provider_queued
      from calls where phase = 'queued' and (organization_id = ${args.organizationId} or provider = ${args.provider})),
    rivals as (
      select rt.organization_id = ${args.organizationId} and rt.waiting_for = 'organization_line' as in_organization,
             rt.provider = ${args.provider} and rt.waiting_for = 'provider_line' as at_provider,
             coalesce(f.priority, 0) > ${args.priority}
               or coalesce(rt.served_at, '-infinity') < coalesce(own.served_at, '-infinity') as ahead
      from campaign_runtime rt
      join campaign_runtime own on own.campaign_id = ${args.campaignId}
      left join campaign_configs f on f.organization_id = rt.organization_id and f.campaign_id = rt.campaign_id
      where rt.waiting_for in ('provider_line', 'organization_line') and rt.campaign_id <> ${args.campaignId}
        and (rt.organization_id = ${args.organizationId} or rt.provider = ${args.provider})
        and coalesce(f.priority, 0) >= ${args.priority})
    select queued.*,
      count(*) filter (where in_organization)::int as org_rivals,
      count(*) filter (where in_organization and ahead)::int as org_ahead,
      count(*) filter (where at_provider)::int as provider_rivals,
      count(*) filter (where at_provider and ahead)::int as provider_ahead
    from queued left join rivals on true group by queued.org_queued, queued.provider_queued`.execute(tx);
  const row = rows[0];
  if (!row) return nobody;
  return {
    organization: { queuedCalls: row.org_queued, rivals: row.org_rivals, ahead: row.org_ahead },
    provider: { queuedCalls: row.provider_queued, rivals: row.provider_rivals, ahead: row.provider_ahead },
  };
}

export interface CampaignPlan {
  wakeAt: Date | null;
  nextDialAt: Date | null;
  waitingFor: string | null;
}

/** Says when the campaign is to be looked at again, and why not now. Its runtime row is held. */
export async function keepPlan(tx: Tx, campaignId: string, plan: CampaignPlan): Promise<void> {
  const keep = sql`
    update campaign_runtime
    set wake_at = ${plan.wakeAt}, next_dial_at = ${plan.nextDialAt}, waiting_for = ${plan.waitingFor}
    where campaign_id = ${campaignId}`;
  await deferred(keep, tx);
}

/**
 * Finishes a running campaign that has nobody left to dial or whose end has passed, holding its row.
 * False where something changed in the meantime.
 */
export async function finishCampaign(tx: Tx, campaignId: string): Promise<boolean> {
  const { rows } = await sql<{ id: string }>`
    with held as materialized (
      select id, end_at from campaigns where id = ${campaignId} and status = 'running' for update)
    update campaigns c
    set status = 'finished', revision = c.revision + 1, ended_at = engine_now(), updated_at = engine_now()
    from held
    where c.id = held.id and (
      held.end_at <= engine_now()
      or not exists (select from campaign_recipients r
                     where r.campaign_id = held.id and r.state in ('pending', 'claimed', 'dialing')))
    returning c.id`.execute(tx);
  if (rows.length === 0) return false;
  await sql`
    update campaign_runtime rt
    set wake_at = null, next_dial_at = null, waiting_for = null,
        withdrawing = exists (select from campaign_recipients r
                              where r.campaign_id = rt.campaign_id and r.state in ('pending', 'claimed', 'dialing'))
    where campaign_id = ${campaignId}`.execute(tx);
  return true;
}
