import { sql, type RawBuilder } from 'kysely';
import { locks } from './locks.ts';
import { deferred } from './postgres/deferred.ts';
import type { Executor, Tx } from './transaction.ts';

/**
 * Advisory locks that every gate takes in share mode before it locks rows. Triggers (`0001_base.ts`, `0007_compliance.ts`) take them exclusively for changes of the
 * data that they protect. So a change waits for open gates, and later gates see its result.
 */

/** The paces of all providers and the rules of the operator. One lock suffices, because they rarely change. */
export const sharedInstallationRules: RawBuilder<unknown> = locks.installationRules.share();

/**
 * Shorter than interrupted work may wait (docs/promises.md). A transaction sends its statements one after another, so only a process that was stopped, or
 * whose machine is gone, leaves one idle. The rows of campaigns and providers that it has locked would stop their dialing.
 */
const idleAtMost = '8s';

/** In the first statement of a transaction that dials or counts lines: the transaction ends if its process leaves it idle. */
export const endsIfIdle: RawBuilder<unknown> = sql`
  set_config('idle_in_transaction_session_timeout', ${sql.lit(idleAtMost)}, true)`;

/** The suppression list of an organization, and other data of it that gates read. */
export function sharedSuppressions(organizationId: RawBuilder<unknown>): RawBuilder<unknown> {
  return locks.dialingRules.share(organizationId);
}

/** Holds the suppression lists and the allowed destinations of an organization, for a dial without a gate of its own. Read them in a later statement. */
export async function shareSuppressions(tx: Tx, organizationId: string): Promise<void> {
  await deferred(
    sql`select ${sharedInstallationRules}, ${sharedSuppressions(sql`${organizationId}::uuid`)}`,
    tx,
  );
}

/** Waits for the open gates of an organization; later ones wait for the commit. Comes before locks of rows, as in every gate. */
export async function lockOutGates(tx: Executor, organizationId: string): Promise<void> {
  await sql`select ${locks.dialingRules.take(organizationId)}`.execute(tx);
}
