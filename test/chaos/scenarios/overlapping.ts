import type { Tx } from '@outdial/db';
import { openTransaction } from './held-by.ts';
import type { ScenarioWorld } from './world.ts';

/** Runs `change` in a transaction that stays open until the other side waits for a lock or has ended. */
export async function overlapping(
  world: ScenarioWorld,
  change: (tx: Tx) => Promise<unknown>,
  other: () => Promise<unknown>,
): Promise<void> {
  const commit = await openTransaction(world, change);
  const theOther = other();
  const blocked = world.untilBlocked('worker');
  blocked.catch(() => undefined);
  await Promise.race([theOther, blocked]);
  await Promise.all([commit(), theOther]);
}
