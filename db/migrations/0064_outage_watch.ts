import { sql, type Kysely } from 'kysely';

/**
 * When this database was last reached, and since when without a long break. Processes cannot send heartbeats during an outage, so their silence is judged a while
 * after it. Before the first look, no outage is known. Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table outage_watch (
      only_row boolean primary key default true check (only_row),
      reached_at timestamptz not null default clock_timestamp(),
      unbroken_since timestamptz not null default '-infinity'
    )`.execute(db);
}
