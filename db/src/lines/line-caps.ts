import { sql, type RawBuilder } from 'kysely';
import { endsIfIdle } from '../gate-locks.ts';
import { locks } from '../locks.ts';
import { deferred } from '../postgres/deferred.ts';
import type { Tx } from '../transaction.ts';

/**
 * Locks the caps of organizations and providers in share mode, so that none is set or cleared until the commit. Lines are only counted if there
 * is a cap. So every transaction that takes or releases lines calls this first, in a separate statement before it reads caps and before all row
 * locks, to avoid deadlocks. A trigger (`0001_base.ts`) takes the lock exclusively. A repeated call has no effect.
 */
export async function lockLineCaps(tx: Tx): Promise<void> {
  await deferred(sql`select ${sharedLineCaps}`, tx);
}

/** The lock itself, for a statement that takes its row locks after it. The transaction then ends if its process leaves it idle. */
export const sharedLineCaps: RawBuilder<unknown> = sql`${locks.lineCaps.share()}, ${endsIfIdle}`;
