import { sql, type Kysely } from 'kysely';

/**
 * An `end_date` without a time is the last instant of its date, and the window that opens on it may finish after midnight: then `end_at`, at
 * which a campaign ends, lies past what `end_date` says. Null where they are the same. Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw('alter table campaigns add column end_date_at timestamptz').execute(db);
}
