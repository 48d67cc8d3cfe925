import { sql, type Kysely } from 'kysely';

/** The purpose of a direct call, as far as its caller names one. Calls of a campaign have the campaign's. Frozen: a change is a new migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table calls add column purpose text check (purpose in ('marketing', 'service', 'debt_collection'))`.execute(
    db,
  );
}
