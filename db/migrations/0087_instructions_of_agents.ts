import { sql, type Kysely } from 'kysely';

/**
 * What the agents of an organization may have the carrier do with an answered call: nothing, until the operator allows it. Frozen: a change is a
 * new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table organizations
      add column own_twiml boolean not null default false,
      add column voice_hosts text[] not null default '{}'`.execute(db);
}
