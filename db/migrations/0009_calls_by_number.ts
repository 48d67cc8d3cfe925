import { sql, type Kysely } from 'kysely';

/** The calls to a person: for lists, and to export or erase what is known of somebody. Built without locking the table. */
export const transaction = false;
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index concurrently if not exists calls_by_number
    on calls (organization_id, phone_number, created_at desc)`.execute(db);
}
