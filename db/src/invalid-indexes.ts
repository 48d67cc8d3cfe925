import { sql, type Kysely } from 'kysely';

/** Indexes whose concurrent build failed. Leaves out those that another session is building, which are invalid too. */
async function findInvalidIndexes(db: Kysely<unknown>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
    where not i.indisvalid and c.relkind = 'i' and c.relnamespace = current_schema()::regnamespace
      and pg_has_role(c.relowner, 'USAGE')
      -- Without the privilege to see other sessions' builds, a role only sees that a build runs.
      and not exists (
        select from pg_stat_progress_create_index p
        where p.pid <> pg_backend_pid() and (p.datname is null or (p.datname = current_database() and p.relid = i.indrelid)))
    order by 1`.execute(db);
  return rows.map(({ name }) => name);
}

/** The names of indexes that a failed `reindex concurrently` leaves. */
const leftByRebuild = /_cc(new|old)\d*$/;

/**
 * Rebuilds indexes that a failed `create index concurrently` left invalid. No query uses them, and `if not exists` would skip them. They are not
 * dropped, because the migration that creates one may have run in an earlier release.
 */
export async function rebuildInvalidIndexes(db: Kysely<unknown>): Promise<void> {
  for (const name of await findInvalidIndexes(db)) {
    await (
      leftByRebuild.test(name)
        ? sql`drop index concurrently if exists ${sql.table(name)}`
        : sql`reindex index concurrently ${sql.table(name)}`
    ).execute(db);
  }
}

export class InvalidIndexError extends Error {
  readonly code = 'invalid_index';

  constructor(names: readonly string[]) {
    super(`the build of ${names.join(', ')} failed: run the migrations again, or drop and build it manually`);
    this.name = 'InvalidIndexError';
  }
}

export async function requireValidIndexes(db: Kysely<unknown>): Promise<void> {
  const invalid = await findInvalidIndexes(db);
  if (invalid.length > 0) throw new InvalidIndexError(invalid);
}
