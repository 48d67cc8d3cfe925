import { type CallerIdAllowance, callsPerDayAt, chooseCallerIds } from '@outdial/core';
import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';
import { readCallerIdPool } from './pool.ts';
import { usesSince } from './uses.ts';
import type { PersonKey } from '../keys.ts';

/** Instants are rounded up to this, so that the number of rows does not grow with the calls. */
const bucketMinutes = 15;

/** The calls per 24 hours that an organization's caller ids allow from now on, for a forecast. Ignores limits per hour. */
export async function findCallerIdAllowance(
  db: Executor,
  organizationId: string,
): Promise<CallerIdAllowance> {
  const { callerIds, now } = await readCallerIdPool(db, organizationId);
  const left = callerIds.reduce((sum, one) => sum + Math.max(0, callsPerDayAt(one, now) - one.day.calls), 0);
  const { rows } = await sql<{ at: Date; calls: number }>`
    select freed.at, sum(freed.calls)::int as calls from (
      select date_bin(${bucketMinutes} * interval '1 minute', u.at, 'epoch') + ${bucketMinutes} * interval '1 minute' + interval '24 hours' as at, 1 as calls
      from caller_ids c cross join lateral ${usesSince(sql`c.id`, sql`${now}::timestamptz - interval '24 hours'`)} u
      where c.organization_id = ${organizationId} and c.state = 'active'
      union all
      select resting_until, calls_per_day from caller_ids
      where organization_id = ${organizationId} and state = 'resting' and resting_until is not null) freed
    group by freed.at order by freed.at`.execute(db);
  return { left, freeing: rows.map(({ at, calls }) => ({ atMs: at.getTime(), calls })) };
}

/** Whether one of an organization's caller ids may call a number now. Null if it has no caller ids, and calls from its agents' numbers. */
export async function findFittingCallerId(
  db: Executor,
  { organizationId, phoneNumber }: PersonKey,
): Promise<boolean | null> {
  const { has_caller_ids: hasCallerIds } = await db
    .selectFrom('organizations')
    .select('has_caller_ids')
    .where('id', '=', organizationId)
    .executeTakeFirstOrThrow();
  if (!hasCallerIds) return null;
  const { callerIds, rules, now } = await readCallerIdPool(db, organizationId);
  const [chosen] = chooseCallerIds(callerIds, rules, [{ phoneNumber, lastCallerId: null }], now);
  return chosen != null;
}
