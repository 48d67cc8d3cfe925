import { sql, type Kysely } from 'kysely';

/**
 * When a key would expire if it had not been rotated, so that another rotation gives its whole lifetime: `infinity` for never, null if it was not rotated.
 * Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table api_keys add column original_expires_at timestamptz`.execute(db);
}
