import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, Migrator, type Migration, type MigrationProvider } from 'kysely/migration';
import { connect } from './connect.ts';
import { rebuildInvalidIndexes, requireValidIndexes } from './invalid-indexes.ts';
import { lockTables } from './migration-locks.ts';
import { type Db, postgresCode } from './transaction.ts';

const folder = new URL('../migrations/', import.meta.url);

let names: readonly string[] | undefined;

/** Read once: the files of a version do not change. */
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
      // The file's own type check has seen that it is one.
      migrations[name] = (await import(new URL(`${name}.ts`, folder).href)) as Migration;
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

/** Codes with which Postgres says that others had the tables: lock_not_available, deadlock_detected. */
const busyCodes = new Set(['55P03', '40P01']);
/** Somebody's long transaction, such as a backup's, may end within it. */
const busyForMsAtMost = 10 * 60_000;
const longestPauseMs = 2_000;

/** Runs migrations, again and again while the tables are in use: meanwhile the service goes on. */
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
    // Longer than the attempt itself, so that the service has most of the time.
    await delay(Math.min(500 * attempt, longestPauseMs));
  }
}

/** The migrations, of which the first of a transaction locks the tables, and one without a transaction leaves no index half built. */
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
    let first: string | undefined;
    for (const [at, { name, migration }] of pending.entries()) {
      first ??= name;
      const disableTransactions = !needsTransaction(migration);
      const next = pending[at + 1];
      // Those that follow one another in transactions are one transaction.
      if (!disableTransactions && next !== undefined && needsTransaction(next.migration)) continue;
      ran.push(...(await runUpTo(db, { first, last: name, disableTransactions })));
      first = undefined;
    }
    return ran;
  } finally {
    await db.destroy();
  }
}

/** Postgres' code for a table that does not exist. */
const undefinedTable = '42P01';

/**
 * The names of the migrations that this version has and the database has not. A stranger may ask for them, through `/readyz`: one short
 * statement, where Kysely's migrator reads the whole catalog.
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
