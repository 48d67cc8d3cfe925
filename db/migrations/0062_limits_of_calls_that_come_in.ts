import { sql, type Kysely } from 'kysely';

/** The operator's limits on calls that come in; null is the installation's default. Frozen: a change is a new migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table organizations
      add column max_inbound_calls integer check (max_inbound_calls >= 0),
      add column max_inbound_per_caller_hour integer check (max_inbound_per_caller_hour >= 0),
      add column max_inbound_per_number_hour integer check (max_inbound_per_number_hour >= 0)`.execute(db);
}
