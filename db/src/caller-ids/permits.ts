import {
  chooseCallerIds,
  freeAt,
  roomOf,
  type CalledPerson,
  type CallerIdRules,
  type PooledCallerId,
} from '@outdial/core';
import { sql } from 'kysely';
import { deferred } from '../postgres/deferred.ts';
import { usesSince } from './uses.ts';
import type { CallerIdRulesJson } from '../schema/caller-ids.ts';
import type { Executor, Tx } from '../transaction.ts';
import { toRules } from './rules.ts';

/** The caller ids of an organization that may be called from, at an instant. */
export interface CallerIdPool {
  callerIds: PooledCallerId[];
  rules: CallerIdRules;
  now: Date;
}

/**
 * Holds the permits of an organization to the commit: who takes some sees all that were taken before. After the rows of organizations and providers, and
 * before nothing but permits.
 */
export async function lockCallerIdPool(tx: Tx, organizationId: string): Promise<CallerIdPool> {
  await sql`select pg_advisory_xact_lock(5, hashtext(${organizationId}::uuid::text))`.execute(tx);
  return readPool(tx, organizationId);
}

/** The capacity of a pool: the calls that may be made now, or else the time of the next one. */
export function roomOfPool({ callerIds, now }: CallerIdPool): { calls: number; freeAt: Date | null } {
  const calls = callerIds.reduce((sum, one) => sum + roomOf(one, now), 0);
  const ends = callerIds.map((one) => freeAt(one, now).getTime());
  return { calls, freeAt: ends.length === 0 ? null : new Date(Math.min(...ends)) };
}

/** Gives each claim a caller id, where there is one for its number. The pool is locked. Returns how many got one. */
export async function takeCallerIds(
  tx: Tx,
  args: {
    organizationId: string;
    pool: CallerIdPool;
    claims: ReadonlyArray<{ claimId: string; person: CalledPerson }>;
  },
): Promise<number> {
  const { organizationId, pool, claims } = args;
  const people = claims.map(({ person }) => person);
  const chosen = chooseCallerIds(pool.callerIds, pool.rules, people, pool.now);
  const uses = claims.flatMap(({ claimId, person }, place) => {
    const callerId = chosen[place];
    return callerId == null ? [] : [{ claimId, callerId, phoneNumber: person.phoneNumber }];
  });
  if (uses.length === 0) return 0;
  await sql`
    insert into caller_id_uses (claim_id, organization_id, caller_id, phone_number, used_at)
    select x.claim_id, ${organizationId}, x.caller_id, x.phone_number, ${pool.now}
    from unnest(${uses.map((use) => use.claimId)}::uuid[], ${uses.map((use) => use.callerId)}::uuid[],
                ${uses.map((use) => use.phoneNumber)}::text[]) as x(claim_id, caller_id, phone_number)`.execute(
    tx,
  );
  return uses.length;
}

/** The people of claims, in the order of the claims, each with the caller id that called them last. */
export async function peopleOfClaims(
  tx: Tx,
  args: {
    organizationId: string;
    campaignId: string;
    claims: ReadonlyArray<{ recipientId: string; claimId: string }>;
  },
): Promise<Array<{ claimId: string; person: CalledPerson }>> {
  const { organizationId, campaignId, claims } = args;
  const { rows } = await sql<{ claim_id: string; phone_number: string; last: string | null }>`
    select x.claim_id, r.phone_number, ${lastCallerId('r')} as last
    from unnest(${claims.map((one) => one.recipientId)}::uuid[], ${claims.map((one) => one.claimId)}::uuid[])
      with ordinality as x(id, claim_id, nth)
    join campaign_recipients r
      on r.organization_id = ${organizationId} and r.campaign_id = ${campaignId} and r.id = x.id
    order by x.nth`.execute(tx);
  return rows.map((row) => ({
    claimId: row.claim_id,
    person: { phoneNumber: row.phone_number, lastCallerId: row.last },
  }));
}

/** The permit of a direct call whose row is locked: the one that it has, or another where that may not be used any more. False if there is none. */
export async function takeCallerIdForCall(
  tx: Tx,
  { organizationId, callId }: { organizationId: string; callId: string },
): Promise<boolean> {
  const pool = await lockCallerIdPool(tx, organizationId);
  const { rows } = await sql<{ phone_number: string; last: string | null; held: string | null }>`
    select c.phone_number, ${lastCallerId('c')} as last, u.caller_id as held
    from calls c left join caller_id_uses u on u.claim_id = c.id where c.id = ${callId}`.execute(tx);
  const [call] = rows;
  if (!call) return false;
  if (pool.callerIds.some(({ id }) => id === call.held)) return true;
  await freeCallerIds(tx, [callId]);
  const person = { phoneNumber: call.phone_number, lastCallerId: call.last };
  return (await takeCallerIds(tx, { organizationId, pool, claims: [{ claimId: callId, person }] })) === 1;
}

/** Gives permits back: nothing was dialed from them. */
export async function freeCallerIds(tx: Tx, claimIds: readonly string[]): Promise<void> {
  await deferred(sql`delete from caller_id_uses where claim_id = any(${claimIds}::uuid[])`, tx);
}

function lastCallerId(of: 'r' | 'c') {
  return sql`(
    select u.caller_id from caller_id_uses u
    where u.organization_id = ${sql.ref(`${of}.organization_id`)} and u.phone_number = ${sql.ref(`${of}.phone_number`)}
    order by u.used_at desc limit 1)`;
}

/** The pool as it is, held or not. */
export async function readPool(db: Executor, organizationId: string): Promise<CallerIdPool> {
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
          select count(*) as of_day, min(u.at) as day_from, count(*) filter (where u.at > t.now - interval '1 hour') as of_hour,
            min(u.at) filter (where u.at > t.now - interval '1 hour') as hour_from
          from ${usesSince(sql`c.id`, sql`t.now - interval '1 day'`)} u) uses
        where c.organization_id = o.id and c.state = 'active') one) as caller_ids
    from organizations o cross join (select engine_now() as now) t where o.id = ${organizationId}`.execute(
    db,
  );
  const [row] = rows;
  if (!row) throw new Error('there is no such organization');
  return {
    now: row.now,
    rules: toRules(row.rules),
    callerIds: (row.caller_ids ?? []).map((one) => ({
      id: one.id,
      country: one.country,
      prefixes: one.prefixes,
      attestation: one.attestation,
      callsPerDay: one.calls_per_day,
      callsPerHour: one.calls_per_hour,
      warmUpDays: one.warm_up_days,
      warmUpFrom: new Date(one.warm_up_from),
      day: { calls: one.of_day, firstAt: one.day_from === null ? null : new Date(one.day_from) },
      hour: { calls: one.of_hour, firstAt: one.hour_from === null ? null : new Date(one.hour_from) },
    })),
  };
}
