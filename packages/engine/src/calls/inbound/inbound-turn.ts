import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, inTransaction, tryLockInboundCalls, type Tx } from '@outdial/db';

/** So often a call looks whether it is its turn among those that come in to its organization: for two seconds or so. */
const looksAtMost = 13;
const waitMs = 50;

/**
 * Does the work alone among calls that come in to the organization; null if it was not its turn for too long. No connection is held in between, and `before`, which
 * takes no lock, may settle it at every look.
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
