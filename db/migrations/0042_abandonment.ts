import { sql, type Kysely } from 'kysely';

/**
 * Answered calls that were connected to a voice in time, and those that were not, as voice runtimes tell it: each call once, and counted by campaign and day.
 * `campaign_runtime.abandonment` is what a sweep has made of the last 30 days: {"share": 0.04, "calls": 120}; null where all is well. Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table call_voices (
     call_id uuid primary key,
     campaign_id uuid not null,
     is_abandoned boolean not null,
     at timestamptz not null
   )`,
  `create index call_voices_by_age on call_voices (at)`,
  `create table campaign_voices (
     campaign_id uuid not null references campaigns (id) on delete cascade,
     day date not null,
     connected integer not null default 0,
     abandoned integer not null default 0,
     primary key (campaign_id, day)
   ) with (fillfactor = 70)`,
  `alter table campaign_runtime add column abandonment jsonb check (jsonb_typeof(abandonment) = 'object')`,
];
