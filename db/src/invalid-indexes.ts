import { sql, type Kysely } from 'kysely';

/** Indexes whose concurrent build failed. One that another session builds at this moment is invalid as well, and is left to it. */
async function findInvalidIndexes(db: Kysely<unknown>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_index i join pg_class c on c.oid = i.indexrelid
    where not i.indisvalid and c.relkind = 'i' and c.relnamespace = current_schema()::regnamespace
      and pg_has_role(c.relowner, 'USAGE')
      -- A role without the right to see builds of other sessions learns only that a build runs.
      and not exists (
        select from pg_stat_progress_create_index p
        where p.pid <> pg_backend_pid() and (p.datname is null or (p.datname = current_database() and p.relid = i.indrelid)))
    order by 1`.execute(db);
  return rows.map(({ name }) => name);
}

/** What a rebuild that fails leaves beside its index. */
const leftByRebuild = /_cc(new|old)\d*$/;

/**
 * Rebuilds indexes that a failed `create index concurrently` left invalid: no query uses them, and `if not exists` takes them for built. They are rebuilt and not
 * dropped, since the migration of one may have run in an earlier release, and would not make it again.
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

/** An index that should have been built is not valid, and no query uses it. */
export class InvalidIndexError extends Error {
  readonly code = 'invalid_index';

  constructor(names: readonly string[]) {
    super(
      `the build of ${names.join(', ')} did not end: run the migrations again, or drop and build it by hand`,
    );
    this.name = 'InvalidIndexError';
  }
}

export async function requireValidIndexes(db: Kysely<unknown>): Promise<void> {
  const invalid = await findInvalidIndexes(db);
  if (invalid.length > 0) throw new InvalidIndexError(invalid);
}
