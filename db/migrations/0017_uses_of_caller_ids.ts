import { sql, type Kysely } from 'kysely';

/**
 * Who was called from a caller id is in the row of the call; uses only count. The column stays for processes of the release before, which write it.
 * After a user has ended the rest of a caller id, earlier calls do not let it rest again. Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table caller_id_uses alter column phone_number set default ''`.execute(db);
  await sql`drop index caller_id_uses_of_person`.execute(db);
  await sql`alter table caller_ids add column rest_ended_at timestamptz`.execute(db);
}
