import { sql, type Kysely } from 'kysely';

/**
 * `recipients_revision` increases with each number that joins or leaves the list of a campaign, so that the tag of a campaign shows a change of its list
 * without reading it. `list_revision` does not: a reader of a long list would have to begin again with each of them. Frozen: a change is a new
 * migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table campaigns add column recipients_revision integer not null default 0`.execute(db);
}
