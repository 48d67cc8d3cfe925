import { sql, type Kysely } from 'kysely';

/** The calls that came in to each caller id: how many there were in the last hour limits what strangers cost. */
export const transaction = false;
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index concurrently if not exists calls_that_came_in on calls (caller_id, created_at desc)
    where kind = 'phone_inbound'`.execute(db);
}
