import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, Migrator, type Migration, type MigrationProvider } from 'kysely/migration';
import { connect } from './connect.ts';
import { rebuildInvalidIndexes, requireValidIndexes } from './invalid-indexes.ts';
import { locks } from './locks.ts';
import { lockTables } from './migration-locks.ts';
import { postgresCode } from './postgres/error-code.ts';
import type { Db } from './transaction.ts';

const folder = new URL('../migrations/', import.meta.url);

let names: readonly string[] | undefined;

async function migrationNames(): Promise<readonly string[]> {
  names ??= (await readdir(folder))
    .filter((file) => /^\d{4}_.+\.ts$/.test(file))
    .map((file) => file.slice(0, -'.ts'.length))
    .toSorted();
  return names;
}

const fromFolder: MigrationProvider = {
  async getMigrations() {
    const migrations: Record<string, Migration> = {};
    for (const name of await migrationNames()) {
      // Every file of the folder exports a migration.
      migrations[name] = (await import(new URL(`${name}.ts`, folder).href)) as Migration;
    }
    return migrations;
  },
};

/** A migration that exports `transaction = false` runs without one, for example to build an index concurrently. */
function needsTransaction(migration: Migration): boolean {
  return !('transaction' in migration) || migration.transaction !== false;
}

/**
 * Locks out other processes that migrate. Polls, because a statement that waits for the lock would hold a snapshot, for which concurrent index
 * builds wait.
 */
async function lockMigrations(db: Db): Promise<void> {
  for (;;) {
    const { rows } = await sql<{
      taken: boolean;
    }>`select pg_try_advisory_lock(${locks.migrations.keys()}) as taken`.execute(db);
    if (rows[0]?.taken === true) return;
    await delay(100);
  }
}

/** Names the migration and Postgres's error. */
export class MigrationFailedError extends Error {
  readonly code = 'migration_failed';

  constructor(migration: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message.split('\n', 1)[0] : String(cause);
    super(`the migration ${migration} failed: ${why}`, { cause });
    this.name = 'MigrationFailedError';
  }
}

/** Others have locked the tables: lock_not_available, deadlock_detected. */
const busyCodes = new Set(['55P03', '40P01']);
/** Long enough for another long transaction, such as a backup, to end. */
const busyForMsAtMost = 10 * 60_000;
const longestPauseMs = 2_000;

/** Runs migrations, and retries while the tables are in use by the running service. */
async function runUpTo(
  db: Db,
  group: { first: string; last: string; disableTransactions: boolean },
): Promise<string[]> {
  const givesUpAt = performance.now() + busyForMsAtMost;
  for (let attempt = 1; ; attempt++) {
    const { error, results } = await new Migrator({ db, provider: providerOf(group) }).migrateTo(group.last, {
      disableTransactions: group.disableTransactions,
    });
    if (error === undefined) return (results ?? []).map((result) => result.migrationName);
    if (!busyCodes.has(postgresCode(error)) || performance.now() > givesUpAt) {
      const failed = results?.find((result) => result.status === 'Error')?.migrationName ?? group.last;
      throw new MigrationFailedError(failed, error);
    }
    // Longer than the attempt, so that the service can work most of the time.
    await delay(Math.min(500 * attempt, longestPauseMs));
  }
}

/** The first migration of a transaction also locks the tables. A migration without a transaction also repairs and checks indexes. */
function providerOf({
  first,
  disableTransactions,
}: {
  first: string;
  disableTransactions: boolean;
}): MigrationProvider {
  return {
    async getMigrations() {
      const migrations = await fromFolder.getMigrations();
      const migration = migrations[first];
      if (migration === undefined) return migrations;
      const up: Migration['up'] = async (db) => {
        await (disableTransactions ? rebuildInvalidIndexes(db) : lockTables(db));
        await migration.up(db);
        if (disableTransactions) await requireValidIndexes(db);
      };
      return { ...migrations, [first]: { ...migration, up } };
    },
  };
}

/** Runs all pending migrations and returns their names. Safe to run concurrently in several processes. */
export async function migrateToLatest({ databaseUrl }: { databaseUrl: string }): Promise<string[]> {
  // No statement timeout, because migrating a large table may take long.
  const db = connect({
    databaseUrl,
    poolMax: 1,
    applicationName: 'outdial-migrate',
    statementTimeoutMs: 0,
  });
  try {
    await lockMigrations(db);
    const migrator = new Migrator({ db, provider: fromFolder });
    const pending = (await migrator.getMigrations()).filter(({ executedAt }) => executedAt === undefined);
    const ran: string[] = [];
    let first: string | undefined;
    for (const [at, { name, migration }] of pending.entries()) {
      first ??= name;
      const disableTransactions = !needsTransaction(migration);
      const next = pending[at + 1];
      // Consecutive migrations with transactions run in one transaction.
      if (!disableTransactions && next !== undefined && needsTransaction(next.migration)) continue;
      ran.push(...(await runUpTo(db, { first, last: name, disableTransactions })));
      first = undefined;
    }
    return ran;
  } finally {
    await db.destroy();
  }
}

const undefinedTable = '42P01';

/**
 * The names of the migrations that the database lacks. One short statement, because `/readyz` is public; Kysely's migrator would read the whole
 * catalog.
 */
export async function pendingMigrations(db: Db): Promise<string[]> {
  const ran = await sql<{ name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`
    .execute(db)
    .then(({ rows }) => new Set(rows.map(({ name }) => name)))
    .catch((error: unknown) => {
      if (postgresCode(error) === undefinedTable) return new Set<string>();
      throw error;
    });
  return (await migrationNames()).filter((name) => !ran.has(name));
}
