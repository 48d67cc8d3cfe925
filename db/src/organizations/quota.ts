import { sql, type RawBuilder } from 'kysely';
import { locks } from '../locks.ts';
import { deferred } from '../postgres/deferred.ts';
import type { Executor, Tx } from '../transaction.ts';

const hasQuota = sql`(o.max_calls_per_day is not null or o.max_spend_per_day is not null)`;

/** For `organizations o`: whether the number of calls a day is limited. */
export const isLimitedByDay: RawBuilder<boolean> = sql`${hasQuota} as is_limited_by_day`;

/** Serializes the gates of an organization with a quota, so that they count each other's calls. Takes no lock for other organizations. */
export function aloneWithQuota(organizationId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select ${locks.quota.take(sql`o.id`)} from organizations o where o.id = ${organizationId} and ${hasQuota})`;
}

export async function lockQuota(tx: Tx, organizationId: string): Promise<void> {
  await deferred(sql`select ${aloneWithQuota(sql`${organizationId}::uuid`)}`, tx);
}

/** Aggregates `calls` that count in the quota of the day, with their transfers. Unanswered inbound calls do not count, or strangers could use up the quota. */
export const callsOfQuota: RawBuilder<number> = sql`(
  count(*) filter (where not (kind = 'phone_inbound' and phase = 'ended' and answered_at is null)) + coalesce(sum(transfers), 0))`;

const today = sql`date_trunc('day', (select engine_now()), 'UTC')`;

/**
 * Whether a row of `calls` was created today (UTC). The upper bound makes Postgres expect few rows; without it, Postgres reads all calls of an
 * organization that owns most of the table. `interval '1 day'` would depend on the session's time zone.
 */
export const isOfToday: RawBuilder<boolean> = sql`(created_at >= ${today} and created_at < ${today} + interval '24 hours')`;

/** Calls left in the quota of the day, which begins at midnight UTC; null without a quota. Counts once per statement, by an index. */
export function callsLeft(organizationId: RawBuilder<unknown>): RawBuilder<number | null> {
  return sql`(
    select case when today.spend >= o.max_spend_per_day then 0
      else greatest(0, coalesce(o.max_calls_per_day, 1000000000) - today.calls) end::int
    from organizations o
    cross join lateral (
      select ${callsOfQuota} as calls, coalesce(sum(cost), 0) as spend from calls
      where organization_id = o.id and ${isOfToday}) today
    where o.id = ${organizationId} and ${hasQuota})`;
}

/** The calls left today; infinitely many without a quota. */
export async function readCallsLeft(
  db: Executor,
  organizationId: string,
): Promise<{ left: number; dayEndsAt: Date }> {
  const { rows } = await sql<{ left: number | null; day_ends_at: Date }>`
    select ${callsLeft(sql`${organizationId}::uuid`)} as left,
      date_trunc('day', engine_now(), 'UTC') + interval '24 hours' as day_ends_at`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('the quota query returned no row');
  return { left: row.left ?? Number.POSITIVE_INFINITY, dayEndsAt: row.day_ends_at };
}
