import { type RawBuilder, sql } from 'kysely';
import { timeZone } from '@outdial/core';
import { organizationTimezone } from '../organizations/organizations.ts';
import type { ListPage } from '../lists/newest-first.ts';
import type { Executor } from '../transaction.ts';

export type UsageKey = 'day' | 'campaign' | 'agent';

export interface UsageRow {
  /** A day as `2026-03-01`, or an id; empty for calls that belong to no campaign. */
  key: string;
  calls: number;
  seconds: number;
  /** A numeric as text. */
  cost: string;
  outcomes: Record<string, number>;
}

/** The usage of a span of time by key, the largest first. Deleted calls still count, in the hour of their creation. Days are in the organization's time zone. */
export async function readUsage(
  db: Executor,
  args: {
    organizationId: string;
    from: Date;
    to: Date;
    by: UsageKey;
    page: ListPage<readonly [key: string]>;
  },
): Promise<UsageRow[]> {
  const { organizationId, from, to, by, page } = args;
  const after = page.after?.[0] ?? null;
  const zone = await organizationTimezone(db, organizationId);
  const { rows } = await sql<UsageRow>`
    with used as (
      select created_at as at, campaign_id, agent_id, outcome, 1::bigint as calls,
        coalesce(duration_seconds, 0)::bigint as seconds, cost
      from calls
      where organization_id = ${organizationId} and created_at >= ${from} and created_at < ${to}
      union all
      select hour, campaign_id, agent_id, outcome, calls, seconds, cost from usage_of_deleted_calls
      where organization_id = ${organizationId} and hour >= ${from} and hour < ${to}),
    keyed as (
      select ${keyOf(by)} as key, outcome, sum(calls) as calls, sum(seconds) as seconds, sum(cost) as cost
      from used join (${localOffsets(zone, from, to)}) o on at >= from_at and at < to_at
      group by 1, 2)
    select key, sum(calls)::float8 as calls, sum(seconds)::float8 as seconds, sum(cost)::text as cost,
      coalesce(jsonb_object_agg(outcome, calls) filter (where outcome is not null), '{}') as outcomes
    from keyed
    where ${after}::text is null or key < ${after}
    group by key
    order by key desc
    limit ${page.limit}`.execute(db);
  return rows;
}

function keyOf(by: UsageKey): RawBuilder<string> {
  switch (by) {
    case 'day':
      return localDay;
    case 'campaign':
      return sql`coalesce(campaign_id::text, '')`;
    case 'agent':
      return sql`agent_id::text`;
  }
}

/**
 * The rows `(from_at, to_at, local_offset)`: the stretches of a span in which the zone has one offset from UTC. Postgres gets offsets and no name of
 * a zone, because it may not know the name: Debian, for example, leaves `US/Eastern` and `Asia/Calcutta` to a package of their own.
 */
export function localOffsets(zone: string, from: Date, to: Date): RawBuilder<unknown> {
  const segments = timeZone(zone).segments(from.getTime(), to.getTime());
  return sql`select from_at, to_at, offset_ms * interval '1 millisecond' as local_offset from unnest(
    ${segments.map(({ fromMs }) => new Date(fromMs))}::timestamptz[],
    ${segments.map(({ toMs }) => new Date(toMs))}::timestamptz[],
    ${segments.map(({ offsetMs }) => offsetMs)}::float8[]) as t(from_at, to_at, offset_ms)`;
}

/** The local day of an instant of the span, as `2026-03-01`. */
export const localDay: RawBuilder<string> = sql`(at at time zone 'UTC' + local_offset)::date::text`;
