import { shortCallSeconds, type CallerIdHour, type CallerIdRules } from '@outdial/core';
import { sql, type RawBuilder } from 'kysely';
import { wakeWhere } from '../limits-changed.ts';
import type { CallerIdRulesJson } from '../schema/caller-ids.ts';
import { inTransaction, type Db, type Tx } from '../transaction.ts';
import { lockCallerIds } from './caller-ids.ts';
import { callerIdRulesOf } from './rules.ts';

/** Outcomes of calls that no person could have answered, which do not reflect on the caller id. */
const ignoredOutcomes = ['canceled', 'failed', 'invalid_number', 'unknown'] as const;

/** The results of each active caller id's calls in the last hour, and since a user ended its rest. Skips caller ids without calls, and organizations that check none. */
export async function readCallerIdHours(
  db: Db,
): Promise<Array<{ id: string; restEndedAt: Date | null; hour: CallerIdHour; rules: CallerIdRules }>> {
  const { rows } = await sql<
    CallerIdHour & { id: string; rest_ended_at: Date | null; rules: CallerIdRulesJson }
  >`
    select c.id, c.rest_ended_at, o.caller_id_rules as rules, of_hour.*
    from organizations o
    join caller_ids c on c.organization_id = o.id and c.state = 'active'
    cross join lateral (
      select count(*)::int as ended, (count(*) filter (where l.answered_at is not null))::int as answered,
        (count(*) filter (where l.answered_at is not null and l.duration_seconds < ${shortCallSeconds}))::int as short
      from caller_id_uses u join calls l on l.id = u.call_id
      where u.caller_id = c.id and u.used_at > greatest((select engine_now()) - interval '1 hour', c.rest_ended_at)
        and l.phase = 'ended' and l.outcome <> all(${ignoredOutcomes}::text[])) of_hour
    where o.has_caller_ids and not o.caller_id_rules @> '{"answerRateFrom": null, "shortCallsTo": null}'
      and of_hour.ended > 0`.execute(db);
  return rows.map(({ id, rest_ended_at: restEndedAt, rules, ended, answered, short }) => ({
    id,
    restEndedAt,
    rules: callerIdRulesOf(rules),
    hour: { ended, answered, short },
  }));
}

/** Rests caller ids that are still active, unless a user ended a rest in the meantime. Waits for open gates of their organizations. */
export async function restCallerIds(
  db: Db,
  rests: ReadonlyArray<{ id: string; restEndedAt: Date | null; reason: string; hours: number }>,
): Promise<number> {
  if (rests.length === 0) return 0;
  return forEachOrganization(
    db,
    sql`id = any(${rests.map((one) => one.id)}::uuid[])`,
    async (tx, organizationId) => {
      const result = await sql`
      update caller_ids c
      set state = 'resting', state_reason = x.reason, updated_at = engine_now(),
          resting_until = engine_now() + x.hours * interval '1 hour'
      from unnest(${rests.map((one) => one.id)}::uuid[], ${rests.map((one) => one.reason)}::text[],
                  ${rests.map((one) => one.hours)}::int[], ${rests.map((one) => one.restEndedAt)}::timestamptz[])
        as x(id, reason, hours, rest_ended_at)
      where c.id = x.id and c.organization_id = ${organizationId} and c.state = 'active'
        and c.rest_ended_at is not distinct from x.rest_ended_at`.execute(tx);
      return Number(result.numAffectedRows ?? 0n);
    },
  );
}

/** Ends rests that are over, and wakes campaigns that wait for a caller id. */
export async function endRests(db: Db): Promise<number> {
  const isOver = sql`state = 'resting' and resting_until <= (select engine_now())`;
  return forEachOrganization(db, isOver, async (tx, organizationId) => {
    const result = await sql`
      update caller_ids set state = 'active', state_reason = null, resting_until = null, updated_at = engine_now()
      where organization_id = ${organizationId} and ${isOver}`.execute(tx);
    await wakeWhere(tx, sql`organization_id = ${organizationId} and waiting_for = 'caller_id'`);
    return Number(result.numAffectedRows ?? 0n);
  });
}

/**
 * Changes caller ids of each organization under the lock of its gates, in a transaction of its own: the gates of one do not wait for a change of another.
 * Returns how many.
 */
async function forEachOrganization(
  db: Db,
  which: RawBuilder<unknown>,
  change: (tx: Tx, organizationId: string) => Promise<number>,
): Promise<number> {
  const { rows } = await sql<{ organization_id: string }>`
    select distinct organization_id from caller_ids where ${which} order by organization_id`.execute(db);
  let done = 0;
  for (const { organization_id: organizationId } of rows) {
    done += await inTransaction(db, async (tx) => {
      await lockCallerIds(tx, organizationId);
      return change(tx, organizationId);
    });
  }
  return done;
}

/**
 * Deletes a batch of permits that no longer count: those older than a month, after which they do not identify a returned call either, and those
 * of calls that were not made.
 */
export async function forgetCallerIdUses(db: Db, limit: number): Promise<number> {
  const result = await sql`
    delete from caller_id_uses where ctid = any(array(
      select u.ctid from caller_id_uses u
      where u.used_at < (select engine_now()) - interval '31 days'
        or (u.used_at < (select engine_now()) - interval '10 minutes' and u.used_at > (select engine_now()) - interval '1 day'
          and not exists (
            select from calls l where l.id = u.call_id and (l.gated_at is not null or l.phase = 'queued')))
      limit ${limit} for update skip locked))`.execute(db);
  return Number(result.numAffectedRows ?? 0n);
}
