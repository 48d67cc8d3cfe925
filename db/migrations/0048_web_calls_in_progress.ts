import { sql, type Kysely } from 'kysely';

/** Calls in browsers that go on: few at any time. */
export const transaction = false;
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index concurrently if not exists calls_web_in_progress on calls (organization_id)
    where kind = 'web' and phase in ('placing', 'ringing', 'answered')`.execute(db);
}
