import { chooseCallerIds, type CalledPerson } from '@outdial/core';
import { sql } from 'kysely';
import { deferred } from '../postgres/deferred.ts';
import type { Tx } from '../transaction.ts';
import { lastCallerIdOf } from './uses.ts';
import {
  lockCallerIdPool,
  readCachedCallerIdPool,
  readCallerIdPool,
  recountCallerIdPool,
  type CallerIdPool,
} from './pool.ts';
import type { CallKey } from '../keys.ts';

/**
 * Chooses a caller id of the locked pool for each person; null where none fits. The gate of the calls records the uses, at an instant that is not before
 * that of the cached count, so that later reads add them to it.
 */
export async function chooseFromPool(
  tx: Tx,
  { organizationId, pool }: { organizationId: string; pool: CallerIdPool },
  people: readonly CalledPerson[],
): Promise<Array<string | null>> {
  const choose = (one: CallerIdPool) => chooseCallerIds(one.callerIds, one.rules, people, one.now);
  const chosen = choose(pool);
  return pool.isExact || !chosen.includes(null)
    ? chosen
    : choose(await recountCallerIdPool(tx, organizationId));
}

/** Whether a direct call would get a permit now, as far as can be read without the lock of the permits. */
export async function mayTakeCallerId(tx: Tx, { organizationId, callId }: CallKey): Promise<boolean> {
  const call = await readCall(tx, callId);
  if (call === null) return false;
  const fits = ({ callerIds, rules, now }: CallerIdPool) =>
    chooseCallerIds(callerIds, rules, [call.person], now)[0] != null;
  const cached = await readCachedCallerIdPool(tx, organizationId);
  return (cached !== null && fits(cached)) || fits(await readCallerIdPool(tx, organizationId));
}

/** Ensures that a direct call whose row is locked has a usable permit, which it takes before its gate. False if there is none. */
export async function takeCallerIdForCall(tx: Tx, { organizationId, callId }: CallKey): Promise<boolean> {
  const pool = await lockCallerIdPool(tx, organizationId);
  const call = await readCall(tx, callId);
  if (call === null) return false;
  if (pool.callerIds.some(({ id }) => id === call.held)) return true;
  await freeCallerIds(tx, [callId]);
  const [chosen] = await chooseFromPool(tx, { organizationId, pool }, [call.person]);
  if (chosen == null) return false;
  const permit = sql`
    insert into caller_id_uses (call_id, organization_id, caller_id, used_at)
    values (${callId}, ${organizationId}, ${chosen}, ${pool.now})`;
  await deferred(permit, tx);
  return true;
}

/** `held`: the caller id of the permit that the call has. */
async function readCall(
  tx: Tx,
  callId: string,
): Promise<{ person: CalledPerson; held: string | null } | null> {
  const { rows } = await sql<{ phone_number: string; last: string | null; held: string | null }>`
    select c.phone_number, ${lastCallerIdOf(sql`c`)} as last, u.caller_id as held
    from calls c left join caller_id_uses u on u.call_id = c.id where c.id = ${callId}`.execute(tx);
  const [call] = rows;
  return call
    ? { person: { phoneNumber: call.phone_number, lastCallerId: call.last }, held: call.held }
    : null;
}

/** For calls that are not made. */
export async function freeCallerIds(tx: Tx, callIds: readonly string[]): Promise<void> {
  await deferred(sql`delete from caller_id_uses where call_id = any(${callIds}::uuid[])`, tx);
}
