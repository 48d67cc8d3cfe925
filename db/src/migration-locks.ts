import { sql, type Kysely } from 'kysely';
import { rowOrder } from './locks.ts';

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
