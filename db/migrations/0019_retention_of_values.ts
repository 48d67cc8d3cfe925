import { sql, type Kysely } from 'kysely';

/** A campaign that is over whose values for prompts are no longer kept. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table campaigns add column values_deleted_at timestamptz`.execute(db);
}
