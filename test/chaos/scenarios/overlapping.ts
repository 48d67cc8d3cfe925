import { inTransaction, type Tx } from '@outdial/db';
import type { ScenarioWorld } from './world.ts';

/** Runs `change` in a transaction that stays open until the other side waits for a lock or has ended. */
export async function overlapping(
  world: ScenarioWorld,
  change: (tx: Tx) => Promise<unknown>,
  other: () => Promise<unknown>,
): Promise<void> {
  const isOpen = Promise.withResolvers<void>();
  const mayCommit = Promise.withResolvers<void>();
  const open = inTransaction(world.db, async (tx) => {
    await change(tx);
    isOpen.resolve();
    await mayCommit.promise;
  });
  await Promise.race([isOpen.promise, open]);
  const theOther = other();
  const blocked = world.untilBlocked('worker');
  blocked.catch(() => undefined);
  await Promise.race([theOther, blocked]);
  mayCommit.resolve();
  await Promise.all([open, theOther]);
}
