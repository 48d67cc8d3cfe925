import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql, type Transaction } from 'kysely';
import { withAuditRows } from './audit/audit-scope.ts';
import { postgresCode } from './postgres/error-code.ts';
import type { Database } from './schema/index.ts';

export type Db = Kysely<Database>;
export type Tx = Transaction<Database>;
/** A pool or a transaction. */
export type Executor = Db | Tx;

/** serialization_failure, deadlock_detected, and foreign_key_violation: if a row was deleted between a read and a write, a retry no longer reads it. */
const retryableCodes = new Set(['40001', '40P01', '23503']);
const attemptsAtMost = 5;

/**
 * Runs `work` in a read-committed transaction, and retries it after a deadlock or if a row that it refers to was deleted. So `work` must have no
 * effects outside the database; publish jobs after the commit. Also writes changes by users and operators to the audit log.
 */
export async function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  const { result, effects } = await retryVictims(() =>
    db.transaction().execute(async (tx) => {
      const effectsOfTry: Array<() => void> = [];
      effectsOf.set(tx, effectsOfTry);
      return { result: await withAuditRows(tx, work), effects: effectsOfTry };
    }),
  );
  for (const effect of effects) effect();
  return result;
}

const effectsOf = new WeakMap<Tx, Array<() => void>>();

/** Runs `effect` after the commit of a transaction that `inTransaction` began; never if it is rolled back, and once if it is retried. */
export function onCommit(tx: Tx, effect: () => void): void {
  const effects = effectsOf.get(tx);
  if (effects === undefined) throw new Error('inTransaction did not begin this transaction');
  effects.push(effect);
}

/** The same retries for a single statement outside of a transaction. */
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

/** Runs `read` in a read-only snapshot, which occupies a connection. */
export async function inReadSnapshot<T>(db: Db, read: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read);
}

/** The engine's clock is that of the database, so that a process with a wrong clock does no harm. */
export async function engineNow(db: Executor): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select engine_now() as now`.execute(db);
  const row = rows[0];
  if (!row) throw new Error('engine_now() returned no row');
  return row.now;
}
