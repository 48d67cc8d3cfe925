import { sql, type Kysely } from 'kysely';

/** An unknown code that a provider gives to several people in a row is its account's, not theirs. Frozen: a change is a new migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table providers add column unknown_code jsonb`.execute(db);
}
