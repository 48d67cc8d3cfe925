import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, type Migration, type MigrationProvider, Migrator } from 'kysely/migration';
import { connect } from './connect.ts';
import { locks, rowOrder } from './locks.ts';
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

/** Locks out other processes that migrate. Polls, so that no statement outlives a lost connection. */
async function lockMigrations(db: Db): Promise<void> {
  for (;;) {
    const { rows } = await sql<{
      taken: boolean;
    }>`select pg_try_advisory_lock(${locks.migrations.keys()}) as taken`.execute(db);
    if (rows[0]?.taken === true) return;
    await delay(100);
  }
}

export class MigrationFailedError extends Error {
  readonly code = 'migration_failed';

  constructor(migration: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message.split('\n', 1)[0] : String(cause);
    super(`the migration ${migration} failed: ${why}`, { cause });
    this.name = 'MigrationFailedError';
  }
}

/** The database has migrations that this release does not know, and is not merely ahead of it. */
export class ForeignDatabaseError extends Error {
  readonly code = 'foreign_database';

  constructor(ran: ReadonlySet<string>, unknown: string) {
    super(
      firstBefore1.some((name) => ran.has(name))
        ? 'the database was made by a checkout from before Outdial 1.0, and cannot be upgraded: use an empty database'
        : `the database was made by a later release of Outdial (${unknown}): use that release or a later one`,
    );
    this.name = 'ForeignDatabaseError';
  }
}

/** The first migrations of the checkouts before 1.0. */
const firstBefore1 = ['0001_initial', '0001_installation'];

/** Others have locked the tables: lock_not_available, deadlock_detected. */
const busyCodes = new Set(['55P03', '40P01']);
/** Long enough for another long transaction, such as a backup, to end. */
const busyForMsAtMost = 10 * 60_000;
const longestPauseMs = 2_000;

/** Locks the tables for all pending migrations, which run in one transaction. */
function locking(names: readonly string[]): MigrationProvider {
  return {
    async getMigrations() {
      const migrations = await fromFolder.getMigrations();
      const [first] = names;
      const migration = first === undefined ? undefined : migrations[first];
      if (first === undefined || migration === undefined) return migrations;
      const up: Migration['up'] = async (db) => {
        await lockTables(db);
        await migration.up(db);
      };
      return { ...migrations, [first]: { ...migration, up } };
    },
  };
}

/** Runs migrations, and retries while the tables are in use by the running service. */
async function run(db: Db, names: readonly string[]): Promise<string[]> {
  const givesUpAt = performance.now() + busyForMsAtMost;
  for (let attempt = 1; ; attempt++) {
    const { error, results } = await new Migrator({ db, provider: locking(names) }).migrateToLatest();
    if (error === undefined) return (results ?? []).map((result) => result.migrationName);
    if (!busyCodes.has(postgresCode(error)) || performance.now() > givesUpAt) {
      const failed = results?.find((result) => result.status === 'Error')?.migrationName ?? names.at(-1);
      throw new MigrationFailedError(failed ?? 'none', error);
    }
    // Longer than the attempt, so that the service can work most of the time.
    await delay(Math.min(500 * attempt, longestPauseMs));
  }
}

export interface Migrated {
  /** The names of the migrations that were pending. */
  ran: string[];
  /** The last migration of a database that a later release has migrated; null if there is none. */
  later: string | null;
}

/**
 * Runs all pending migrations. Safe to run concurrently in several processes. Accepts the database of a later release, with which this one is
 * compatible.
 * @throws ForeignDatabaseError, before anything is changed
 */
export async function migrateToLatest({ databaseUrl }: { databaseUrl: string }): Promise<Migrated> {
  // No statement timeout, because migrating a large table may take long.
  const db = connect({
    databaseUrl,
    poolMax: 1,
    applicationName: 'outdial-migrate',
    statementTimeoutMs: 0,
  });
  try {
    await lockMigrations(db);
    const ran = await migrationsOf(db);
    const names = await migrationNames();
    const pending = names.filter((name) => !ran.has(name));
    const unknown = [...ran].filter((name) => !names.includes(name)).toSorted();
    const known = names.at(-1) ?? '';
    const foreign = pending.length === 0 ? unknown.find((name) => name < known) : unknown[0];
    if (foreign !== undefined) throw new ForeignDatabaseError(ran, foreign);
    return { ran: pending.length === 0 ? [] : await run(db, pending), later: unknown.at(-1) ?? null };
  } finally {
    await db.destroy();
  }
}

const undefinedTable = '42P01';

/** One short statement, because `/readyz` is public; Kysely's migrator would read the whole catalog. */
async function migrationsOf(db: Db): Promise<ReadonlySet<string>> {
  return sql<{ name: string }>`select name from ${sql.table(DEFAULT_MIGRATION_TABLE)}`
    .execute(db)
    .then(({ rows }) => new Set(rows.map(({ name }) => name)))
    .catch((error: unknown) => {
      if (postgresCode(error) === undefinedTable) return new Set<string>();
      throw error;
    });
}

/** The names of the migrations that the database lacks. */
export async function pendingMigrations(db: Db): Promise<string[]> {
  const ran = await migrationsOf(db);
  return (await migrationNames()).filter((name) => !ran.has(name));
}

/** Shorter than `deadlock_timeout`, so that in a deadlock the migration fails and not a transaction of the service. */
const lockTimeoutMs = 400;

/**
 * Locks every table of the service for the transaction of `db`, first those whose rows transactions lock first: new transactions wait before they
 * lock anything, and running ones can lock the rest and end. In another order, a migration and the running service would deadlock.
 * @throws an error with the code 55P03 if the tables are in use
 */
export async function lockTables(db: Kysely<unknown>): Promise<void> {
  // The migrator locks its own tables. Tables of other owners cannot be locked, and no migration changes them.
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not starts_with(relname, 'kysely_')
      and pg_has_role(relowner, 'USAGE')
    order by array_position(${rowOrder}::text[], relname::text), relname`.execute(db);
  if (rows.length === 0) return;
  await sql.raw(`set local lock_timeout = ${lockTimeoutMs}`).execute(db);
  await sql`lock table ${sql.join(rows.map(({ name }) => sql.table(name)))} in access exclusive mode`.execute(
    db,
  );
  await sql`set local lock_timeout to default`.execute(db);
}
