import { sql } from 'kysely';
import type { ScenarioWorld } from './world.ts';

/** Runs a statement in a transaction that stays open; returns a function that ends it and rolls it back. */
export async function heldBy(
  world: ScenarioWorld,
  statement: ReturnType<typeof sql>,
): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  // A scenario that fails meanwhile would hang when its world is closed, and its fault would not be shown.
  world.onClose(() => Promise.resolve(released.resolve()));
  const holding = world.db
    .transaction()
    .execute(async (tx) => {
      await statement.execute(tx);
      held.resolve();
      await released.promise;
      throw new Error('rolled back');
    })
    .catch((error: unknown) => held.reject(error));
  await held.promise;
  return async () => {
    released.resolve();
    await holding;
  };
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
