import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, inTransaction, tryLockInboundCalls, type Tx } from '@outdial/db';

/** How often a call looks whether its turn has come: for about two seconds. */
const looksAtMost = 13;
const waitMs = 50;

/**
 * Runs `work` while no other incoming call of the organization does; null if its turn did not come in time. No connection stays open between
 * looks. `before` takes no lock and may settle the call at each look.
 */
export async function inTurn<T>(
  db: Db,
  organizationId: string,
  { before, work }: { before: () => Promise<T | null>; work: (tx: Tx) => Promise<T> },
): Promise<T | null> {
  for (let look = 1; look <= looksAtMost; look += 1) {
    const settled = await before();
    if (settled !== null) return settled;
    const done = await inTransaction(db, async (tx) =>
      (await tryLockInboundCalls(tx, organizationId)) ? { result: await work(tx) } : null,
    );
    if (done !== null) return done.result;
    await sleep(Math.random() * waitMs * look);
  }
  return null;
}
