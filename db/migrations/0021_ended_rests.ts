import { sql, type Kysely } from 'kysely';

/** When a user ended the rest of a caller id: earlier calls do not let it rest again. Frozen: a change is a new migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table caller_ids add column rest_ended_at timestamptz`.execute(db);
}
