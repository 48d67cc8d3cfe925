import { setTimeout as sleep } from 'node:timers/promises';
import type { Kysely, Transaction } from 'kysely';
import { withAuditRows } from './audit/audit-scope.ts';
import type { Database } from './schema/index.ts';

export type Db = Kysely<Database>;
export type Tx = Transaction<Database>;
/** A pool or a transaction: repositories take either. */
export type Executor = Db | Tx;

/**
 * Postgres's codes for "run it again": serialization_failure, deadlock_detected, and foreign_key_violation, since a row that was
 * deleted between a look and a write is not there for the next look.
 */
const retryableCodes = new Set(['40001', '40P01', '23503']);
const attemptsAtMost = 5;

/**
 * Runs `work` in a read-committed transaction, and again where Postgres chose it as the victim of a deadlock, or something that it refers to was deleted.
 * `work` must therefore have no effect outside the database; publish after this has resolved.
 * Changes by a user or an operator are written to the audit log in the same transaction.
 */
export async function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return retryVictims(() => db.transaction().execute((tx) => withAuditRows(tx, work)));
}

/** The same for a single statement, which is a transaction of its own. */
export async function retryVictims<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= attemptsAtMost || !retryableCodes.has(postgresCode(error))) throw error;
      await sleep(Math.random() * 10 * attempt);
    }
  }
}

/** The SQLSTATE of an error that Postgres answered, else an empty string. */
export function postgresCode(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return '';
}
