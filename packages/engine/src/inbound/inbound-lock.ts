import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, inTransaction, tryLockInboundCalls, type Tx } from '@outdial/db';

/** Takes about two seconds in all. */
const triesAtMost = 13;
const waitMs = 50;

/**
 * Runs `work` in a transaction with the lock for inbound calls of the organization; null if the lock stays busy. Polls, so that no connection
 * is held while waiting. `before` may settle the call without the lock before each try.
 */
export async function withInboundLock<T>(
  db: Db,
  organizationId: string,
  { before, work }: { before: () => Promise<T | null>; work: (tx: Tx) => Promise<T> },
): Promise<T | null> {
  for (let tried = 1; tried <= triesAtMost; tried += 1) {
    const settled = await before();
    if (settled !== null) return settled;
    const done = await inTransaction(db, async (tx) =>
      (await tryLockInboundCalls(tx, organizationId)) ? { result: await work(tx) } : null,
    );
    if (done !== null) return done.result;
    await sleep(Math.random() * waitMs * tried);
  }
  return null;
}
