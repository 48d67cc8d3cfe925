import { sql, type Kysely } from 'kysely';

/** The calls of a campaign, newest first. A table of its size is not locked while the index is built, which no transaction allows. */
export const transaction = false;
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index concurrently if not exists calls_by_campaign
    on calls (campaign_id, created_at desc, id desc) where campaign_id is not null`.execute(db);
}
