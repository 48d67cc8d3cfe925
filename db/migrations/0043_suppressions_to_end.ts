import { sql, type Kysely } from 'kysely';

/** Suppressions whose number may still wait somewhere. Almost always none, in a table that may be large. */
export const transaction = false;
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index concurrently if not exists suppressions_to_end on suppressions (ends_waiting_at)
    where ends_waiting_at is not null`.execute(db);
}
