import { sql, type RawBuilder } from 'kysely';
import { locks } from '../locks.ts';
import { deferred } from '../postgres/deferred.ts';
import type { Tx } from '../transaction.ts';

/**
 * Locks the caps of organizations and providers in share mode, so that none is set or cleared until the commit. Lines are only counted if there
 * is a cap. So every transaction that takes or releases lines calls this first, in a separate statement before it reads caps and before all row
 * locks, to avoid deadlocks. Migration 0003 takes the lock exclusively. A repeated call has no effect.
 */
export async function lockLineCaps(tx: Tx): Promise<void> {
  await deferred(sql`select ${sharedLineCaps}`, tx);
}

/**
 * Shorter than interrupted work may wait (docs/promises.md). A transaction sends its statements one after another, so only a process that was stopped, or
 * whose machine is gone, leaves one idle. The rows of lines that it has locked would stop all dialing.
 */
const idleAtMost = '8s';

/** The lock itself, for a statement that takes its row locks after it. The transaction then ends if its process leaves it idle. */
export const sharedLineCaps: RawBuilder<unknown> = sql`
  ${locks.lineCaps.share()}, set_config('idle_in_transaction_session_timeout', ${sql.lit(idleAtMost)}, true)`;
