import { sql, type Kysely } from 'kysely';

/**
 * What an organization manages by itself: notes and tags of calls, deleted agents, disabled users, suppressions that end, how long
 * data is kept, and the log of who changed what.
 * Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table tags (
     id uuid primary key default new_id(),
     organization_id uuid not null references organizations (id),
     name text not null check (name <> ''),
     created_at timestamptz not null default now(),
     unique (organization_id, name)
   )`,
  `alter table calls
     add column notes text,
     add column comments text,
     add column quality smallint check (quality between 1 and 5),
     -- An array: a call has few, they are read with the call and deleted with it, and calls stay free of keys that point at them.
     add column tag_ids uuid[] not null default '{}'`,

  `alter table agents add column deleted_at timestamptz`,
  `create index agents_newest_first on agents (organization_id, created_at desc, id desc)`,

  `alter table suppressions
     add column source text,
     add column note text,
     add column created_by uuid,
     -- The number may be dialed again from this instant on; null keeps it from being dialed for good.
     add column expires_at timestamptz,
     add foreign key (organization_id, created_by) references users (organization_id, id)`,
  `create index suppressions_newest_first on suppressions (organization_id, created_at desc, phone_number desc)`,
  `create index suppressions_expiring on suppressions (expires_at) where expires_at is not null`,

  `alter table users
     add column updated_at timestamptz not null default now(),
     add column disabled_at timestamptz,
     -- Tokens that were issued before this instant are refused.
     add column tokens_not_before timestamptz,
     -- Of a user whom a token brought in, until an admin sets the role: the token's role holds. Otherwise no credential is above it.
     add column role_follows_token boolean not null default false`,
  `create index users_newest_first on users (organization_id, created_at desc, id desc)`,

  // Null keeps data until it is deleted otherwise.
  `alter table organizations
     add column keep_transcripts_days integer check (keep_transcripts_days between 1 and 36500),
     add column keep_recordings_days integer check (keep_recordings_days between 1 and 36500),
     add column keep_prompt_values_days integer check (keep_prompt_values_days between 1 and 36500),
     add column keep_calls_days integer check (keep_calls_days between 1 and 36500)`,
  // Calls that were created before it have been dealt with, so that a sweep does not read them again.
  `create table retention_progress (
     organization_id uuid not null references organizations (id),
     kind text not null check (kind in ('transcripts', 'recordings', 'prompt_values', 'calls')),
     done_until timestamptz not null,
     primary key (organization_id, kind)
   )`,
  // What calls have cost that are deleted: counts by the hour in which they were made, and nobody's number.
  `create table usage_of_deleted_calls (
     organization_id uuid not null references organizations (id),
     hour timestamptz not null,
     campaign_id uuid,
     agent_id uuid not null,
     outcome text not null,
     calls bigint not null,
     seconds bigint not null,
     cost numeric(16, 4) not null,
     unique nulls not distinct (organization_id, hour, campaign_id, agent_id, outcome)
   )`,

  // Receipts of erased people: they hold counts, never the number.
  `create table erasures (
     id uuid primary key default new_id(),
     organization_id uuid not null references organizations (id),
     requested_by uuid,
     created_at timestamptz not null,
     counts jsonb not null default '{}' check (jsonb_typeof(counts) = 'object'),
     foreign key (organization_id, requested_by) references users (organization_id, id)
   )`,
  `create index erasures_newest_first on erasures (organization_id, created_at desc, id desc)`,
  // Recordings that are to be deleted where they are kept: at carriers, which may be out of reach for a while.
  `create table recording_deletions (
     call_id uuid primary key,
     organization_id uuid not null references organizations (id),
     erasure_id uuid references erasures (id),
     provider text not null,
     conversation_id text,
     recording_url text not null,
     attempt integer not null,
     gated_at timestamptz not null,
     tries integer not null default 0,
     next_try_at timestamptz not null,
     last_error text,
     -- Given up after the last try; an operator sees these.
     failed_at timestamptz,
     created_at timestamptz not null
   )`,
  `create index recording_deletions_due on recording_deletions (next_try_at) where failed_at is null`,
  `create index recording_deletions_of_erasure on recording_deletions (erasure_id) where erasure_id is not null`,

  `create table audit_log (
     id uuid primary key default new_id(),
     -- Null where an operator changed what belongs to the whole installation.
     organization_id uuid references organizations (id),
     created_at timestamptz not null,
     action text not null check (action <> ''),
     actor_type text not null check (actor_type in ('user', 'operator')),
     user_id uuid,
     -- The operator's account on the host that the command line ran on.
     operator text,
     credential_type text,
     credential_id text,
     ip text,
     target_type text,
     target_id text,
     changes jsonb not null default '{}' check (jsonb_typeof(changes) = 'object'),
     fields text[] not null default '{}',
     check ((actor_type = 'user') = (user_id is not null))
   )`,
  `create index audit_log_newest_first on audit_log (organization_id, created_at desc, id desc)`,
  `create function refuse_audit_log_change() returns trigger language plpgsql as $$
   begin
     raise exception 'audit_log is append-only' using errcode = 'insufficient_privilege';
   end $$`,
  `create trigger audit_log_is_append_only before update or delete on audit_log
     for each row execute function refuse_audit_log_change()`,
  `create trigger audit_log_is_not_truncated before truncate on audit_log
     for each statement execute function refuse_audit_log_change()`,
];
