import type { sql } from 'kysely';
import type { ScenarioWorld } from './world.ts';

/** Runs a statement in a transaction that stays open; returns a function that ends it and rolls it back. */
export async function heldBy(
  world: ScenarioWorld,
  statement: ReturnType<typeof sql>,
): Promise<() => Promise<void>> {
  const held = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const holding = world.db
    .transaction()
    .execute(async (tx) => {
      await statement.execute(tx);
      held.resolve();
      await released.promise;
      throw new Error('rolled back');
    })
    .catch(() => undefined);
  await held.promise;
  return async () => {
    released.resolve();
    await holding;
  };
}
