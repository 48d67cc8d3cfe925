import type { Pace, SharedLines } from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';
import { anyLength } from '../postgres/any-length.ts';
import { deferred } from '../postgres/deferred.ts';
import { prepared } from '../postgres/prepared.ts';
import type { Tx } from '../transaction.ts';
import { bookLines } from './reconcile-lines.ts';
import { isTriedAt, readProviderContention } from './provider-contention.ts';

/** The free capacity of the organization and the provider. Without a cap (`max`), lines are not counted, and `inUse` is meaningless. */
export interface Capacity {
  /** When this was read, which is after any row locks. */
  now: Date;
  organization: SharedLines;
  provider: SharedLines & {
    callsPerSecond: number | null;
    pace: Pace | null;
    closedUntil: Date | null;
    failuresInARow: number;
  };
  /** How many other campaigns of the organization wait for lines of either, whatever their priority. */
  waiters: number;
}

export interface CapacityRow {
  capacity_read_at: Date;
  org_in_use: number;
  org_max: number | null;
  provider_in_use: number;
  provider_max: number | null;
  provider_calls_per_second: number | null;
  provider_pace: Pace | null;
  closed_until: Date | null;
  failures_in_a_row: number;
}

/** From `organizations o` and `providers p`. */
export const capacityColumns: RawBuilder<unknown> = sql`
  o.lines_in_use as org_in_use, o.max_lines as org_max, p.lines_in_use as provider_in_use, p.max_lines as provider_max,
  p.calls_per_second as provider_calls_per_second, p.pace as provider_pace, p.closed_until,
  p.failures_in_a_row, engine_now() as capacity_read_at`;

export function toCapacity(row: CapacityRow): Capacity {
  return {
    now: row.capacity_read_at,
    organization: { inUse: row.org_in_use, max: row.org_max, ...noContenders.organization },
    provider: {
      inUse: row.provider_in_use,
      max: row.provider_max,
      ...noContenders.provider,
      callsPerSecond: row.provider_calls_per_second,
      pace: row.provider_pace,
      closedUntil: row.closed_until,
      failuresInARow: row.failures_in_a_row,
    },
    waiters: noContenders.waiters,
  };
}

interface SharedRows {
  organizationId: string;
  provider: string;
}

/** Whether the row of the organization or of the provider has to be locked for a dial. */
export function isLimited({ organization, provider }: Capacity): boolean {
  return (
    organization.max !== null ||
    provider.max !== null ||
    provider.callsPerSecond !== null ||
    // A failing provider is locked too, because only one call at a time may probe it.
    provider.failuresInARow > 0
  );
}

type CapacityArgs = SharedRows & { campaigns: ReadonlyArray<{ id: string; priority: number }> };

/** The campaigns of an organization that wait for lines are counted up to this number, which leaves each less than a line. */
const rivalsAtMost = 1_000;

/**
 * Locks the limited rows of the organization and the provider, in this order, until the commit, so that no other transaction takes their lines or pace.
 * The caps of lines stay locked (line-caps.ts). Null if the organization or the provider does not exist.
 */
export async function lockLimits(tx: Tx, { organizationId, provider }: SharedRows): Promise<Capacity | null> {
  await deferred(
    sql`select from organizations where id = ${organizationId} and max_lines is not null for no key update`,
    tx,
  );
  // A failing provider is locked too, because only one call at a time may probe it.
  await deferred(
    sql`select from providers where name = ${provider}
      and (max_lines is not null or calls_per_second is not null or failures_in_a_row > 0) for no key update`,
    tx,
  );
  const { rows } = await sql<CapacityRow>`
    select ${capacityColumns} from organizations o cross join providers p
    where o.id = ${organizationId} and p.name = ${provider}`.execute(prepared(tx));
  const row = rows[0];
  return row ? toCapacity(row) : null;
}

/** The same for campaigns of the organization, with the contenders of each for these lines that are not among them. */
export async function lockCapacities(tx: Tx, args: CapacityArgs): Promise<Map<string, Capacity>> {
  const limits = await lockLimits(tx, args);
  if (!limits) throw new Error(`no row for the organization or the provider ${args.provider}`);
  // Without a cap no campaign waits for a line, so there are no contenders.
  if (limits.organization.max === null && limits.provider.max === null) {
    return new Map(args.campaigns.map(({ id }) => [id, limits]));
  }
  const contenders = await countContenders(tx, args);
  // Organizations share lines first. The provider's contenders above are only those of this organization.
  const { max, inUse } = limits.provider;
  const organizations =
    max === null || inUse >= max ? undefined : await readProviderContention(tx, { ...args, now: limits.now });
  return new Map(
    args.campaigns.map(({ id }) => {
      const ofCampaign = contenders.get(id) ?? noContenders;
      const capacity: Capacity = {
        now: limits.now,
        organization: { ...limits.organization, ...ofCampaign.organization },
        provider: { ...limits.provider, ...ofCampaign.provider, ...(organizations && { organizations }) },
        waiters: ofCampaign.waiters,
      };
      return [id, capacity];
    }),
  );
}

/** Reserves lines of an organization and a provider with caps. Without caps it does not update their rows, which many campaigns share. */
export async function takeSharedLines(
  tx: Tx,
  args: { organizationId: string; provider: string; capacity: Capacity; count: number },
): Promise<void> {
  const { organizationId, provider, capacity, count } = args;
  if (capacity.organization.max !== null) {
    await deferred(
      sql`update organizations set lines_in_use = lines_in_use + ${count} where id = ${organizationId}`,
      tx,
    );
  }
  if (capacity.provider.max !== null) {
    await deferred(takeProviderLines({ organizationId, provider, count }), tx);
  }
}

/** For a locked provider with a cap. */
export function takeProviderLines(of: {
  organizationId: string;
  provider: string;
  count: number;
}): RawBuilder<unknown> {
  const { organizationId, provider, count } = of;
  const taken = sql`(select ${provider}::text as provider, ${organizationId}::uuid as organization_id, ${count}::int as by)`;
  return sql`
    with t as materialized (select engine_now() as now),
    booked as (${bookLines(taken, sql`(select now from t)`)})
    update providers set lines_in_use = lines_in_use + ${count} where name = ${provider} and max_lines is not null`;
}

interface Contenders extends Record<
  'organization' | 'provider',
  { queuedCalls: number; rivals: number; ahead: number }
> {
  waiters: number;
}

const noContenders: Contenders = {
  organization: { queuedCalls: 0, rivals: 0, ahead: 0 },
  provider: { queuedCalls: 0, rivals: 0, ahead: 0 },
  waiters: 0,
};

/** Counts the organization's other contenders for these lines, by campaign: direct calls, and campaigns; rivals have at least its priority. */
async function countContenders(tx: Tx, args: CapacityArgs): Promise<Map<string, Contenders>> {
  const ids = anyLength(
    args.campaigns.map(({ id }) => id),
    'uuid',
  );
  const priorities = anyLength(
    args.campaigns.map(({ priority }) => priority),
    'int',
  );
  const { rows } = await sql<{
    id: string;
    org_queued: number;
    provider_queued: number;
    org_rivals: number;
    org_ahead: number;
    provider_rivals: number;
    provider_ahead: number;
    waiters: number;
  }>`
    with queued as (
      select count(*)::int as org_queued, count(*) filter (where provider = ${args.provider})::int as provider_queued
      from calls c where phase = 'queued' and queue_deadline_at is not null and organization_id = ${args.organizationId}
        and ${isTriedAt(sql`(select engine_now())`)}),
    waiters as materialized (
      select rt.waiting_for = 'organization_line' as in_organization,
             rt.provider = ${args.provider} and rt.waiting_for = 'provider_line' as at_provider,
             f.priority, coalesce(rt.served_at, '-infinity') as served_at
      from campaign_runtime rt
      join campaign_configs f on f.organization_id = rt.organization_id and f.campaign_id = rt.campaign_id
      where rt.waiting_for in ('provider_line', 'organization_line') and rt.campaign_id <> all(${ids})
        and rt.organization_id = ${args.organizationId}
      order by f.priority desc, rt.served_at nulls first limit ${rivalsAtMost})
    select own.id, queued.*,
      count(*) filter (where in_organization and is_rival)::int as org_rivals,
      count(*) filter (where in_organization and is_rival and ahead)::int as org_ahead,
      count(*) filter (where at_provider and is_rival)::int as provider_rivals,
      count(*) filter (where at_provider and is_rival and ahead)::int as provider_ahead,
      count(*) filter (where in_organization or at_provider)::int as waiters
    from unnest(${ids}, ${priorities}) as own(id, priority) join campaign_runtime rt on rt.campaign_id = own.id cross join queued
    left join lateral (
      select in_organization, at_provider, w.priority >= own.priority as is_rival,
        w.priority > own.priority or w.served_at < coalesce(rt.served_at, '-infinity') as ahead
      from waiters w) w on true
    group by own.id, queued.org_queued, queued.provider_queued`.execute(prepared(tx));
  return new Map(
    rows.map((row): [string, Contenders] => [
      row.id,
      {
        organization: { queuedCalls: row.org_queued, rivals: row.org_rivals, ahead: row.org_ahead },
        provider: {
          queuedCalls: row.provider_queued,
          rivals: row.provider_rivals,
          ahead: row.provider_ahead,
        },
        waiters: row.waiters,
      },
    ]),
  );
}
