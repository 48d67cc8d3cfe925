import { readdir } from 'node:fs/promises';
import { Migrator, type Migration, type MigrationProvider } from 'kysely/migration';
import { connect, type Db } from './connect.ts';

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
    const { error, results } = await new Migrator({ db, provider: fromFolder }).migrateToLatest();
    if (error !== undefined) throw new Error('a migration failed', { cause: error });
    return (results ?? []).map((result) => result.migrationName);
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
