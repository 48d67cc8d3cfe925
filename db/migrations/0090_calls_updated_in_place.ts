import { sql, type Kysely } from 'kysely';

/**
 * No index of calls depends on a phase or on an instant that an event moves, so that Postgres updates a call in progress in place (HOT). `line_held`
 * says the same: calls in progress hold a line, and others hold none. Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `drop index calls_one_live_per_recipient`,
  `create unique index calls_one_live_per_recipient on calls (recipient_id) where line_held`,
  `drop index calls_one_live_per_number`,
  `create unique index calls_one_live_per_number on calls (organization_id, phone_number) where line_held`,
  `drop index calls_web_in_progress`,
  `create index calls_web_in_progress on calls (organization_id) where kind = 'web' and line_held`,
  `drop index calls_to_hang_up`,
  `create index calls_to_hang_up on calls (hangup_requested_at) where hangup_requested_at is not null and line_held`,
  // The calls in progress are few enough to be read for their look-ups.
  `drop index calls_to_check`,
  `drop index calls_queued`,
  `create index calls_queued on calls (provider, created_at) where queue_deadline_at is not null`,
];
