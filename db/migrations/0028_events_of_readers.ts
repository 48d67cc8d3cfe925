import { sql, type Kysely } from 'kysely';

/**
 * Events get their place at once where an organization reads them, and in spare time elsewhere, so they are looked for by organization.
 * Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  // Organizations that read events over REST. One with a webhook endpoint needs no row.
  `create table event_readers (
     organization_id uuid primary key references organizations (id) on delete cascade,
     -- When it counts as a reader no longer, unless it reads again.
     reads_until timestamptz not null
   )`,
  `drop index outbox_without_position`,
  `create index outbox_without_position on outbox (organization_id, ordinal) where position is null`,
  // An endpoint is sent what happens from here on; null: from its creation on. Older events may get their place later.
  `alter table webhook_endpoints add column sends_since timestamptz`,
];
