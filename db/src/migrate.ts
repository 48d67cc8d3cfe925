import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { Migrator, type Migration, type MigrationProvider } from 'kysely/migration';
import { connect } from './connect.ts';
import type { Db } from './transaction.ts';

const folder = new URL('../migrations/', import.meta.url);

const fromFolder: MigrationProvider = {
  async getMigrations() {
    const migrations: Record<string, Migration> = {};
    for (const file of (await readdir(folder)).toSorted()) {
      if (!/^\d{4}_.+\.ts$/.test(file)) continue;
      // The file's own type check has seen that it is one.
      migrations[file.slice(0, -'.ts'.length)] = (await import(new URL(file, folder).href)) as Migration;
    }
    return migrations;
  },
};

/** A migration that exports `transaction = false` runs outside of one: an index is built concurrently so. */
function needsTransaction(migration: Migration): boolean {
  return !('transaction' in migration) || migration.transaction !== false;
}

/**
 * Resolves once this process alone migrates. Asked again and again: a process that waited for the lock inside a statement would hold a
 * snapshot, and an index that is built concurrently waits for all of those.
 */
async function takeTurn(db: Db): Promise<void> {
  for (;;) {
    const { rows } = await sql<{ taken: boolean }>`select pg_try_advisory_lock(2, 0) as taken`.execute(db);
    if (rows[0]?.taken === true) return;
    await delay(100);
  }
}

/** Which migration failed, and why, as Postgres says it. */
export class MigrationFailedError extends Error {
  readonly code = 'migration_failed';

  constructor(migration: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message.split('\n', 1)[0] : String(cause);
    super(`the migration ${migration} failed: ${why}`, { cause });
    this.name = 'MigrationFailedError';
  }
}

/** Brings the database to the newest migration, and gives the names of those that ran. Safe to run at once in several processes. */
export async function migrateToLatest({ databaseUrl }: { databaseUrl: string }): Promise<string[]> {
  // A migration of a large table takes as long as it takes.
  const db = connect({
    databaseUrl,
    poolMax: 1,
    applicationName: 'outdial-migrate',
    statementTimeoutMs: 0,
  });
  try {
    await takeTurn(db);
    const migrator = new Migrator({ db, provider: fromFolder });
    const pending = (await migrator.getMigrations()).filter(({ executedAt }) => executedAt === undefined);
    const ran: string[] = [];
    for (const [at, { name, migration }] of pending.entries()) {
      const disableTransactions = !needsTransaction(migration);
      const next = pending[at + 1];
      // Those that follow one another in transactions are one transaction.
      if (!disableTransactions && next !== undefined && needsTransaction(next.migration)) continue;
      const { error, results } = await migrator.migrateTo(name, { disableTransactions });
      if (error !== undefined) {
        const failed = results?.find((result) => result.status === 'Error')?.migrationName ?? name;
        throw new MigrationFailedError(failed, error);
      }
      ran.push(...(results ?? []).map((result) => result.migrationName));
    }
    return ran;
  } finally {
    await db.destroy();
  }
}

/** The names of the migrations that this version has and the database has not. */
export async function pendingMigrations(db: Db): Promise<string[]> {
  const migrations = await new Migrator({ db, provider: fromFolder }).getMigrations();
  return migrations
    .filter((migration) => migration.executedAt === undefined)
    .map((migration) => migration.name);
}
