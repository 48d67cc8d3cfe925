import { chooseCallerIds, type CalledPerson } from '@outdial/core';
import { sql } from 'kysely';
import { deferred } from '../postgres/deferred.ts';
import type { Tx } from '../transaction.ts';
import { lastCallerIdOf } from './uses.ts';
import { lockCallerIdPool, recountCallerIdPool, type CallerIdPool } from './pool.ts';

/** Chooses a caller id for each call if the locked pool has one for its number. Returns how many got one. */
export async function takeCallerIds(
  tx: Tx,
  args: {
    organizationId: string;
    pool: CallerIdPool;
    calls: ReadonlyArray<{ callId: string; person: CalledPerson }>;
  },
): Promise<number> {
  const { organizationId, pool, calls } = args;
  const people = calls.map(({ person }) => person);
  const choose = (one: CallerIdPool) => chooseCallerIds(one.callerIds, one.rules, people, one.now);
  let from = pool;
  let chosen = choose(from);
  if (!from.isExact && chosen.includes(null)) {
    from = await recountCallerIdPool(tx, organizationId);
    chosen = choose(from);
  }
  const uses = calls.flatMap(({ callId, person }, place) => {
    const callerId = chosen[place];
    return callerId == null ? [] : [{ callId, callerId, phoneNumber: person.phoneNumber }];
  });
  if (uses.length === 0) return 0;
  // `from.now` is not before the instant of the cached count, so that later reads add these permits to it.
  const permits = sql`
    insert into caller_id_uses (call_id, organization_id, caller_id, phone_number, used_at)
    select x.call_id, ${organizationId}, x.caller_id, x.phone_number, ${from.now}
    from unnest(${uses.map((use) => use.callId)}::uuid[], ${uses.map((use) => use.callerId)}::uuid[],
                ${uses.map((use) => use.phoneNumber)}::text[]) as x(call_id, caller_id, phone_number)`;
  await deferred(permits, tx);
  return uses.length;
}

/** Ensures that a direct call whose row is locked has a usable permit. False if there is none. */
export async function takeCallerIdForCall(
  tx: Tx,
  { organizationId, callId }: { organizationId: string; callId: string },
): Promise<boolean> {
  const pool = await lockCallerIdPool(tx, organizationId);
  const { rows } = await sql<{ phone_number: string; last: string | null; held: string | null }>`
    select c.phone_number, ${lastCallerIdOf(sql`c`)} as last, u.caller_id as held
    from calls c left join caller_id_uses u on u.call_id = c.id where c.id = ${callId}`.execute(tx);
  const [call] = rows;
  if (!call) return false;
  if (pool.callerIds.some(({ id }) => id === call.held)) return true;
  await freeCallerIds(tx, [callId]);
  const person = { phoneNumber: call.phone_number, lastCallerId: call.last };
  return (await takeCallerIds(tx, { organizationId, pool, calls: [{ callId, person }] })) === 1;
}

/** For calls that are not made. */
export async function freeCallerIds(tx: Tx, callIds: readonly string[]): Promise<void> {
  await deferred(sql`delete from caller_id_uses where call_id = any(${callIds}::uuid[])`, tx);
}
