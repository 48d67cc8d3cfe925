import { sql, type Kysely } from 'kysely';

/** The calls of an organization, newest first. A table of its size is not locked while the index is built, which no transaction allows. */
export const transaction = false;
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index concurrently if not exists calls_newest_first
    on calls (organization_id, created_at desc, id desc)`.execute(db);
}
