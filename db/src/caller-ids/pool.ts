import { freeAt, callsLeft, type CallerIdRules, type PooledCallerId } from '@outdial/core';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { locks } from '../locks.ts';
import { deferred } from '../postgres/deferred.ts';
import { prepared } from '../postgres/prepared.ts';
import type { CallerIdRulesJson } from '../schema/caller-ids.ts';
import type { Executor, Tx } from '../transaction.ts';
import { callerIdRulesOf } from './rules.ts';
import { usesSince, usesTakenSince } from './uses.ts';

/** The active caller ids of an organization with their uses at an instant. */
export interface CallerIdPool {
  callerIds: PooledCallerId[];
  rules: CallerIdRules;
  now: Date;
  /** False if some uses may be up to a few seconds old, so that the counts may be too high. */
  isExact: boolean;
}

type Uses = Pick<PooledCallerId, 'day' | 'hour'>;

interface Counted {
  /** When all permits were counted. */
  wholeAt: Date;
  /** When the permits since then were added. All later permits have this `used_at` or a later one. */
  at: Date;
  uses: ReadonlyMap<string, Uses>;
  callsLeft: number;
}

/** How long a worker reuses a full count. */
const cachedMs = 5_000;
const cache = new LRUCache<string, Counted>({
  maxSize: 100_000,
  sizeCalculation: ({ uses }) => uses.size + 1,
});

/**
 * Locks the permits of an organization until the transaction ends, so that the next dial sees all earlier ones. Take this lock after the rows
 * of organizations and providers, and no other lock after it.
 * @param atLeast a cached count suffices if it allows this many calls
 */
export async function lockCallerIdPool(
  tx: Tx,
  organizationId: string,
  { atLeast = Number.POSITIVE_INFINITY }: { atLeast?: number } = {},
): Promise<CallerIdPool> {
  await deferred(sql`select ${locks.callerIdPermits.take(organizationId)}`, tx);
  const counted = cache.get(organizationId);
  if (counted && counted.callsLeft >= atLeast) {
    const pool = await readPool(tx, organizationId, counted);
    if (pool !== null && remember(organizationId, pool, counted.wholeAt) >= atLeast) return pool;
  }
  return recountCallerIdPool(tx, organizationId);
}

/** Counts the permits of a locked pool again. */
export async function recountCallerIdPool(tx: Tx, organizationId: string): Promise<CallerIdPool> {
  const pool = await readCallerIdPool(tx, organizationId);
  remember(organizationId, pool, pool.now);
  return pool;
}

/** Returns how many calls the pool allows. */
function remember(organizationId: string, pool: CallerIdPool, wholeAt: Date): number {
  const uses = new Map(pool.callerIds.map(({ id, day, hour }) => [id, { day, hour }]));
  const { calls } = callsLeftOf(pool);
  cache.set(organizationId, { wholeAt, at: pool.now, uses, callsLeft: calls });
  return calls;
}

/** How many calls the pool allows now, and when it allows the next one. */
export function callsLeftOf({ callerIds, now }: CallerIdPool): { calls: number; freeAt: Date | null } {
  const calls = callerIds.reduce((sum, one) => sum + callsLeft(one, now), 0);
  const ends = callerIds.map((one) => freeAt(one, now).getTime());
  return { calls, freeAt: ends.length === 0 ? null : new Date(Math.min(...ends)) };
}

/** Reads the pool without its lock. */
export async function readCallerIdPool(db: Executor, organizationId: string): Promise<CallerIdPool> {
  const pool = await readPool(db, organizationId, null);
  if (pool === null) throw new Error('there is no such organization');
  return pool;
}

/** Reads the pool without its lock by a cached count, which may be too high. Null if there is none. */
export async function readCachedCallerIdPool(
  db: Executor,
  organizationId: string,
): Promise<CallerIdPool | null> {
  const counted = cache.get(organizationId);
  return counted === undefined ? null : readPool(db, organizationId, counted);
}

/** @returns null if the cached count is too old or lacks a caller id */
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
  // The first condition is true if the clock was set back.
  const isOld =
    counted !== null && (row.now < counted.at || row.now.getTime() > counted.wholeAt.getTime() + cachedMs);
  if (isOld) return null;
  const ids = row.caller_ids ?? [];
  if (counted !== null && ids.some(({ id }) => !counted.uses.has(id))) return null;
  return {
    now: row.now,
    rules: callerIdRulesOf(row.rules),
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
