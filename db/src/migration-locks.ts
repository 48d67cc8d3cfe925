import { sql, type Kysely } from 'kysely';

/**
 * What transactions of the service touch first is locked first: new ones then wait while they hold nothing, and those that have begun find the rest free
 * and end. The order is the one in docs/architecture.md.
 */
const first = [
  'campaigns',
  'calls',
  'campaign_recipients',
  'called_people',
  'campaign_runtime',
  'organizations',
  'providers',
];

/** Shorter than the second after which Postgres looks for deadlocks: the migration gives way before a transaction of the service is ended for it. */
const lockTimeoutMs = 400;

/**
 * Takes every table of the service for the transaction of `db`. Migrations change tables in an order of their own, while the service that runs meanwhile has another: without
 * this each would soon hold what the other wants.
 *
 * @throws an error of Postgres with the code 55P03 where the tables are in use for longer; then another transaction can try
 */
export async function lockTables(db: Kysely<unknown>): Promise<void> {
  // Those of the migrator itself have its own lock; those of other owners may not be locked, and no migration changes them.
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not starts_with(relname, 'kysely_')
      and pg_has_role(relowner, 'USAGE')
    order by array_position(${first}::text[], relname::text), relname`.execute(db);
  if (rows.length === 0) return;
  await sql.raw(`set local lock_timeout = ${lockTimeoutMs}`).execute(db);
  await sql`lock table ${sql.join(rows.map(({ name }) => sql.table(name)))} in access exclusive mode`.execute(
    db,
  );
  await sql`set local lock_timeout to default`.execute(db);
}
