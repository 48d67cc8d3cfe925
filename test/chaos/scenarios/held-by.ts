import { inTransaction, type Db, type Tx } from '@outdial/db';
import { sql } from 'kysely';
import type { ScenarioWorld } from './world.ts';

/**
 * A transaction that has done its work and stays open. Returns a function that ends it, and rejects if it failed. It ends with the world too: otherwise the
 * world of a scenario that fails meanwhile would never close, and its fault would not be shown.
 * @param end runs before the commit; the transaction is rolled back if it throws
 */
export async function openTransaction(
  world: ScenarioWorld,
  work: (tx: Tx) => Promise<unknown>,
  { db = world.db, end = () => undefined }: { db?: Db; end?: () => void } = {},
): Promise<() => Promise<void>> {
  const isOpen = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  world.onClose(async () => mayEnd.resolve());
  const open = inTransaction(db, async (tx) => {
    await work(tx);
    isOpen.resolve();
    await mayEnd.promise;
    end();
  });
  open.catch(() => undefined);
  await Promise.race([isOpen.promise, open]);
  return () => {
    mayEnd.resolve();
    return open;
  };
}

/** Runs a statement in a transaction that stays open; returns a function that ends it and rolls it back. */
export async function heldBy(
  world: ScenarioWorld,
  statement: ReturnType<typeof sql>,
): Promise<() => Promise<void>> {
  const end = () => {
    throw new Error('rolled back');
  };
  const release = await openTransaction(world, (tx) => statement.execute(tx), { end });
  return () => release().catch(() => undefined);
}

/** Blocks the commits of transactions that have made such a change, until the returned function is called. */
export async function blockCommits(world: ScenarioWorld, change: string): Promise<() => Promise<void>> {
  await sql
    .raw(`create function scenario_hold() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock_shared(99, 0); return null; end $$`)
    .execute(world.db);
  await sql
    .raw(`create constraint trigger scenario_hold after ${change}
      deferrable initially deferred for each row execute function scenario_hold()`)
    .execute(world.db);
  return heldBy(world, sql`select pg_advisory_xact_lock(99, 0)`);
}
