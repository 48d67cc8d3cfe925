import { sql, type Kysely } from 'kysely';

/**
 * A campaign that is deleted is gone for its callers at once, and its recipients that were never called follow in chunks.
 * And a recipient knows the round that somebody asked for, which the rules of the campaign do not take away.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table campaigns
     add column deleted_at timestamptz,
     -- Its recipients without calls are gone too.
     add column erased_at timestamptz`,
  `alter table campaign_recipients add column asked_round integer`,
  `create index campaigns_to_erase on campaigns (deleted_at) where deleted_at is not null and erased_at is null`,
];
