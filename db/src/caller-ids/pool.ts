import { freeAt, roomOf, type CallerIdRules, type PooledCallerId } from '@outdial/core';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { deferred } from '../postgres/deferred.ts';
import { prepared } from '../postgres/prepared.ts';
import type { CallerIdRulesJson } from '../schema/caller-ids.ts';
import type { Executor, Tx } from '../transaction.ts';
import { toRules } from './rules.ts';
import { usesSince, usesTakenSince } from './uses.ts';

/** The caller ids of an organization that may be called from, at an instant. */
export interface CallerIdPool {
  callerIds: PooledCallerId[];
  rules: CallerIdRules;
  now: Date;
  /** False if the count is a few seconds old: then it may be too high, but not too low. */
  isExact: boolean;
}

type Uses = Pick<PooledCallerId, 'day' | 'hour'>;

/** A count under the lock. */
interface Counted {
  /** When all permits were counted. */
  wholeAt: Date;
  /** When those taken since then were added. Permits that are taken later have this `used_at` or a later one. */
  at: Date;
  uses: ReadonlyMap<string, Uses>;
  /** The calls that might be made then. */
  room: number;
}

/** How long a worker reuses a whole count. */
const keptMs = 5_000;
const kept = new LRUCache<string, Counted>({
  maxSize: 100_000,
  sizeCalculation: ({ uses }) => uses.size + 1,
});

/**
 * Locks the permits of an organization until the transaction ends, so that the next claim sees all that were taken before it. Take this lock after the rows of
 * organizations and providers, and nothing but permits after it.
 * @param atLeast an exact count is needed only if the pool seems to have less room than this
 */
export async function lockCallerIdPool(
  tx: Tx,
  organizationId: string,
  { atLeast = Number.POSITIVE_INFINITY }: { atLeast?: number } = {},
): Promise<CallerIdPool> {
  await deferred(sql`select pg_advisory_xact_lock(5, hashtext(${organizationId}::uuid::text))`, tx);
  const counted = kept.get(organizationId);
  if (counted && counted.room >= atLeast) {
    const pool = await readPool(tx, organizationId, counted);
    if (pool !== null && keep(organizationId, pool, counted.wholeAt) >= atLeast) return pool;
  }
  return recountCallerIdPool(tx, organizationId);
}

/** Counts the permits of a locked pool again. */
export async function recountCallerIdPool(tx: Tx, organizationId: string): Promise<CallerIdPool> {
  const pool = await readCallerIdPool(tx, organizationId);
  keep(organizationId, pool, pool.now);
  return pool;
}

/** Returns the calls that may be made. */
function keep(organizationId: string, pool: CallerIdPool, wholeAt: Date): number {
  const uses = new Map(pool.callerIds.map(({ id, day, hour }) => [id, { day, hour }]));
  const room = roomOfPool(pool).calls;
  kept.set(organizationId, { wholeAt, at: pool.now, uses, room });
  return room;
}

/** The capacity of a pool: the calls that may be made now, or else the time of the next one. */
export function roomOfPool({ callerIds, now }: CallerIdPool): { calls: number; freeAt: Date | null } {
  const calls = callerIds.reduce((sum, one) => sum + roomOf(one, now), 0);
  const ends = callerIds.map((one) => freeAt(one, now).getTime());
  return { calls, freeAt: ends.length === 0 ? null : new Date(Math.min(...ends)) };
}

/** Reads the pool without its lock. */
export async function readCallerIdPool(db: Executor, organizationId: string): Promise<CallerIdPool> {
  const pool = await readPool(db, organizationId, null);
  if (pool === null) throw new Error('there is no such organization');
  return pool;
}

/** Null if what was counted is too old, or lacks a caller id. */
async function readPool(
  db: Executor,
  organizationId: string,
  counted: Counted | null,
): Promise<CallerIdPool | null> {
  const { rows } = await sql<{
    now: Date;
    rules: CallerIdRulesJson;
    caller_ids: Array<{
      id: string;
      country: string;
      prefixes: string[];
      attestation: PooledCallerId['attestation'];
      calls_per_day: number;
      calls_per_hour: number | null;
      warm_up_days: number;
      warm_up_from: string;
      of_day: number;
      day_from: string | null;
      of_hour: number;
      hour_from: string | null;
    }> | null;
  }>`
    select t.now, o.caller_id_rules as rules, (
      select jsonb_agg(to_jsonb(one) order by one.id) from (
        select c.id, c.country, c.prefixes, c.attestation, c.calls_per_day, c.calls_per_hour, c.warm_up_days, c.warm_up_from,
          uses.of_day, uses.day_from, uses.of_hour, uses.hour_from
        from caller_ids c
        cross join lateral (
          select count(*) as of_day, min(u.at) as day_from, count(*) filter (where u.at > t.hour_ago) as of_hour,
            min(u.at) filter (where u.at > t.hour_ago) as hour_from
          from ${counted === null ? usesSince(sql`c.id`, sql`t.day_ago`) : usesTakenSince(sql`c.id`, counted.at)} u) uses
        where c.organization_id = o.id and c.state = 'active') one) as caller_ids
    from organizations o
    cross join lateral (
      select now, now - interval '24 hours' as day_ago, now - interval '1 hour' as hour_ago from (select engine_now() as now) clock) t
    where o.id = ${organizationId}`.execute(prepared(db));
  const [row] = rows;
  if (!row) return null;
  // Also if the clock was set back.
  const isOld =
    counted !== null && (row.now < counted.at || row.now.getTime() > counted.wholeAt.getTime() + keptMs);
  if (isOld) return null;
  const ids = row.caller_ids ?? [];
  if (counted !== null && ids.some(({ id }) => !counted.uses.has(id))) return null;
  return {
    now: row.now,
    rules: toRules(row.rules),
    isExact: counted === null,
    callerIds: ids.map((one) => {
      const before = counted?.uses.get(one.id);
      return {
        id: one.id,
        country: one.country,
        prefixes: one.prefixes,
        attestation: one.attestation,
        callsPerDay: one.calls_per_day,
        callsPerHour: one.calls_per_hour,
        warmUpDays: one.warm_up_days,
        warmUpFrom: new Date(one.warm_up_from),
        day: added(before?.day, one.of_day, one.day_from),
        hour: added(before?.hour, one.of_hour, one.hour_from),
      };
    }),
  };
}

function added(before: Uses['day'] | undefined, calls: number, from: string | null): Uses['day'] {
  return {
    calls: (before?.calls ?? 0) + calls,
    firstAt: before?.firstAt ?? (from === null ? null : new Date(from)),
  };
}
