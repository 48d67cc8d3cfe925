import { sql, type Kysely } from 'kysely';

/**
 * What happened, for readers outside the engine: a row is written in the transaction of what it tells, so neither is there without the
 * other. No foreign keys: rows outlive a call whose attempt was undone, and a parent's row is not locked for them.
 * Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table outbox (
     id uuid primary key default new_id(),
     organization_id uuid not null,
     type text not null check (type <> ''),
     campaign_id uuid,
     recipient_id uuid,
     call_id uuid,
     data jsonb not null default '{}' check (jsonb_typeof(data) = 'object'),
     created_at timestamptz not null,
     -- Tells the order of rows of one call, recipient or campaign: they are written under its lock. Across them it tells nothing, since
     -- a transaction with a lower number may commit later.
     ordinal bigint generated always as identity,
     -- The place in the order that readers see, given after the commit; null until then.
     position bigint
   )`,
  `create unique index outbox_once_a_call on outbox (call_id, type)
     where call_id is not null and type in ('call.started', 'call.answered', 'call.ended')`,
  `create index outbox_without_position on outbox (ordinal) where position is null`,
];
