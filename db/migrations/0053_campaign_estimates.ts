import { sql, type Kysely } from 'kysely';

/**
 * When campaigns that run will end, as the last forecast of each says; reading it costs the same for lists of any length. `revision` is the campaign's
 * at that forecast, `next_at` is when it is due again, and `rests_until` is when after a change. Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table campaign_estimates (
     campaign_id uuid primary key references campaigns (id) on delete cascade,
     organization_id uuid not null,
     revision integer not null,
     ends_at timestamptz,
     estimated_at timestamptz not null,
     next_at timestamptz not null,
     rests_until timestamptz not null
   )`,
  // When an organization had its last turn.
  `create index campaign_estimates_turn on campaign_estimates (organization_id, estimated_at)`,
];
