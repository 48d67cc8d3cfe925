import { callsLeftOf, chooseFromPool, type Executor, inTransaction, lockCallerIdPool } from '@outdial/db';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { rowsRead } from '../../support/rows-read.ts';
import { stopEngineClock } from '../../support/stack/engine-clock.ts';
import { apiWorld } from '../api/api-world.ts';
import { addConfirmedCallerId } from '../../support/confirmed-caller-id.ts';

const callsPerDay = 100;
/** Counts are cached for five seconds. */
const cachedForMs = 5_000;
/** Fewer than a caller id may make, so that cached counts are sufficient. */
const few = { atLeast: 10 };

async function world() {
  const { db, organization } = await apiWorld();
  await stopEngineClock(db);
  const advance = (ms: number) => sql`update engine_clock set offset_ms = offset_ms + ${ms}`.execute(db);
  const { id: organizationId } = await organization();
  const add = (phoneNumber: string) =>
    addConfirmedCallerId(db, organizationId, { phone_number: phoneNumber, calls_per_day: callsPerDay });
  const callerId = (await add('+12125550123')) ?? '';
  /** Simulates another process, with a separate cache of counts. */
  const takeElsewhere = (own: Executor, permits: number, ago = '0 seconds') =>
    sql`
      insert into caller_id_uses (call_id, organization_id, caller_id, used_at)
      select new_id(), ${organizationId}, ${callerId}, engine_now() - ${ago}::interval
      from generate_series(1, ${permits}) n`.execute(own);
  const look = (atLeast?: { atLeast: number }) =>
    inTransaction(db, async (tx) => {
      // Postgres would scan so small a table.
      await sql`set local enable_seqscan = off`.execute(tx);
      const { result, read } = await rowsRead(tx, 'caller_id_uses', () =>
        lockCallerIdPool(tx, organizationId, atLeast),
      );
      return { calls: callsLeftOf(result).calls, isExact: result.isExact, read };
    });
  return { db, organizationId, advance, add, takeElsewhere, look };
}

describe('counts of caller ids', () => {
  test('grow with each dial, so that none reads the permits of the last one', async () => {
    const { db, advance, takeElsewhere, look } = await world();
    await look(few);
    await takeElsewhere(db, 40);
    await advance(1_000);
    expect(await look(few)).toMatchObject({ calls: 60, isExact: false, read: 40 });
    await takeElsewhere(db, 3);
    expect(await look(few)).toMatchObject({ calls: 57, isExact: false, read: 3 });
  });

  test('never leave out permits that another process has taken', async () => {
    const { db, takeElsewhere, look } = await world();
    await look(few);
    await takeElsewhere(db, callsPerDay);
    expect(await look(few)).toMatchObject({ calls: 0, isExact: true });
  });

  test('are recomputed if they leave too few calls, because permits may have been released', async () => {
    const { db, organizationId, takeElsewhere, look } = await world();
    await takeElsewhere(db, callsPerDay - 20, '1 hour');
    await look(few);
    await sql`delete from caller_id_uses`.execute(db);
    expect(await look(few)).toMatchObject({ calls: 20, isExact: false });
    const chosen = await inTransaction(db, async (tx) => {
      const pool = await lockCallerIdPool(tx, organizationId, few);
      const people = Array.from({ length: 30 }, () => ({ phoneNumber: '+12125550198', lastCallerId: null }));
      const callerIds = await chooseFromPool(tx, { organizationId, pool }, people);
      await takeElsewhere(tx, callerIds.length);
      return callerIds;
    });
    expect(chosen).toHaveLength(30);
    expect(chosen).not.toContain(null);
    expect(await look(few)).toMatchObject({ calls: callsPerDay - 30, isExact: false });
  });

  test('are recomputed for a caller id that was added meanwhile', async () => {
    const { add, look } = await world();
    await look(few);
    await add('+12125550124');
    expect(await look(few)).toMatchObject({ calls: 2 * callsPerDay, isExact: true });
  });

  test('are recomputed after five seconds', async () => {
    const { db, advance, takeElsewhere, look } = await world();
    await takeElsewhere(db, 40, '1 hour');
    await look(few);
    await sql`delete from caller_id_uses`.execute(db);
    await advance(cachedForMs);
    expect(await look(few)).toMatchObject({ calls: callsPerDay - 40, isExact: false });
    await advance(1);
    expect(await look(few)).toMatchObject({ calls: callsPerDay, isExact: true });
  });

  test('are recomputed if the clock was set back', async () => {
    const { advance, look } = await world();
    await look(few);
    await advance(3_000);
    expect(await look(few)).toMatchObject({ isExact: false });
    await advance(-2_000);
    expect(await look(few)).toMatchObject({ isExact: true });
  });

  test('are recomputed for a dial of unknown size', async () => {
    const { look } = await world();
    await look(few);
    expect(await look()).toMatchObject({ isExact: true });
  });
});
