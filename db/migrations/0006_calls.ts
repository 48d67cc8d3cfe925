import { sql, type Kysely } from 'kysely';

/**
 * Calls, the voice processes that carry some of them, and what is kept of a call beside its row. Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(schema).execute(db);
}

const schema = `
-- One row for each attempt, written at the gate; a direct call is written when it is requested.
create table calls (
  id uuid primary key,
  organization_id uuid not null,
  agent_id uuid not null,
  campaign_id uuid,
  recipient_id uuid,
  attempt integer not null default 1 check (attempt >= 1),
  provider text not null,
  phase text not null check (phase in ('queued', 'placing', 'ringing', 'answered', 'ended')),
  outcome text check (outcome in ('completed', 'no_answer', 'busy', 'rejected', 'voicemail', 'failed', 'invalid_number', 'canceled', 'unknown')),
  phone_number text not null,
  from_phone text,
  prompt_id bigint not null,
  prompt_params jsonb,
  meta jsonb,
  conversation_id text,
  transcript text,
  duration_seconds integer check (duration_seconds >= 0),
  cost numeric(12,4) not null default 0,
  recording_url text,
  call_extract jsonb,
  external_status text,
  events jsonb not null default '[]',
  created_by uuid,
  created_at timestamptz not null,
  -- A call that waits for a line is given up at this instant.
  queue_deadline_at timestamptz,
  gated_at timestamptz,
  -- The provider said that it has the call.
  accepted_at timestamptz,
  answered_at timestamptz,
  ended_at timestamptz,
  corrected_at timestamptz,
  -- When to ask the provider if nothing has been heard by then.
  check_at timestamptz,
  hangup_requested_at timestamptz,
  -- True from the gate to the end, and so of exactly the calls in progress.
  line_held boolean not null default false,
  notes text,
  comments text,
  quality smallint check (quality between 1 and 5),
  -- An array: a call has few, they are read with the call and deleted with it, and calls stay free of keys that point at them.
  tag_ids uuid[] not null default '{}',
  -- The round in which it was dialed, and the attempt within it. Null for direct calls.
  round integer check (round >= 1),
  round_attempt integer check (round_attempt >= 1),
  consent_id uuid,
  grounds_id uuid,
  person_check jsonb,
  caller_id uuid,
  scrub_check jsonb,
  -- A call in a browser has no number: phone_number is 'web:' and its id.
  kind text not null default 'phone_outbound' constraint calls_kind check (kind in ('phone_outbound', 'phone_inbound', 'web')),
  -- Transfers of the person to another number, and whether the call holds a second line for one.
  transfers integer not null default 0,
  transfer_line boolean not null default false,
  foreign key (organization_id, agent_id, prompt_id) references agent_prompts (organization_id, agent_id, id),
  foreign key (organization_id, campaign_id, recipient_id) references campaign_recipients (organization_id, campaign_id, id),
  check ((campaign_id is null) = (recipient_id is null)),
  check ((phase = 'ended') = (outcome is not null)),
  check ((phase = 'ended') = (ended_at is not null)),
  check (phase in ('queued', 'ended') or (gated_at is not null and check_at is not null and line_held)),
  check (phase <> 'queued' or (queue_deadline_at is not null and not line_held)),
  check (phase <> 'ended' or not line_held)
) with (fillfactor = 70);
create unique index calls_attempts on calls (recipient_id, attempt) where recipient_id is not null;
create index calls_by_agent on calls (organization_id, agent_id, created_at desc, id desc);
create index calls_by_campaign on calls (campaign_id, created_at desc, id desc) where campaign_id is not null;
create index calls_newest_first on calls (organization_id, created_at desc, id desc);
create index calls_by_number on calls (organization_id, phone_number, created_at desc);
create index calls_that_came_in on calls (caller_id, created_at desc) where kind = 'phone_inbound';
create unique index calls_one_live_per_recipient on calls (recipient_id) where line_held;
create unique index calls_one_live_per_number on calls (organization_id, phone_number) where line_held;
create index calls_web_in_progress on calls (organization_id) where kind = 'web' and line_held;
create index calls_to_hang_up on calls (hangup_requested_at) where hangup_requested_at is not null and line_held;
create index calls_queued on calls (provider, created_at) where queue_deadline_at is not null;

-- Voice processes that are alive, and the calls that they carry or are about to carry. Neither holds anything of a person.
create table voice_processes (
  id uuid primary key,
  url text not null check (length(url) <= 2000),
  capacity integer not null check (capacity > 0),
  active_calls integer not null default 0,
  draining boolean not null default false,
  endpoints_down text[] not null default '{}',
  started_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp(),
  web_url text check (length(web_url) <= 2000)
);

create table voice_calls (
  call_id uuid primary key,
  process_id uuid not null references voice_processes (id) on delete cascade,
  expires_at timestamptz not null,
  connected_at timestamptz
);
create index voice_calls_of_process on voice_calls (process_id);

-- Answered calls that were connected to a voice in time, and those that were not, each once, and counted by campaign and day.
create table call_voices (
  call_id uuid primary key,
  campaign_id uuid not null,
  is_abandoned boolean not null,
  at timestamptz not null
);
create index call_voices_by_age on call_voices (at);

create table campaign_voices (
  campaign_id uuid not null references campaigns (id) on delete cascade,
  day date not null,
  connected integer not null default 0,
  abandoned integer not null default 0,
  primary key (campaign_id, day)
) with (fillfactor = 70);

-- Recordings in the installation's file store, each written down before its file is, and how many bytes each organization has of them.
create table stored_recordings (
  call_id uuid primary key,
  organization_id uuid not null references organizations (id),
  bytes bigint not null check (bytes >= 0),
  -- When a sweep looks whether the record of the call names it.
  check_at timestamptz not null,
  -- The record of the call names it, so erasure and retention find it there.
  is_recorded boolean not null default false
);
create index stored_recordings_open on stored_recordings (check_at) where not is_recorded;

create table recorded_bytes (
  organization_id uuid primary key references organizations (id),
  bytes bigint not null check (bytes >= 0)
);

-- Receipts of erased people: they hold counts, never the number.
create table erasures (
  id uuid primary key default new_id(),
  organization_id uuid not null references organizations (id),
  requested_by uuid,
  created_at timestamptz not null,
  counts jsonb not null default '{}' check (jsonb_typeof(counts) = 'object'),
  foreign key (organization_id, requested_by) references users (organization_id, id)
);
create index erasures_newest_first on erasures (organization_id, created_at desc, id desc);

-- Recordings that are to be deleted where they are kept: at carriers, which may be out of reach for a while.
create table recording_deletions (
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
);
create index recording_deletions_due on recording_deletions (next_try_at) where failed_at is null;
create index recording_deletions_of_erasure on recording_deletions (erasure_id) where erasure_id is not null;

-- What calls have cost that are deleted: counts by the hour in which they were made, and nobody's number.
create table usage_of_deleted_calls (
  organization_id uuid not null references organizations (id),
  hour timestamptz not null,
  campaign_id uuid,
  agent_id uuid not null,
  outcome text not null,
  calls bigint not null,
  seconds bigint not null,
  cost numeric(16,4) not null,
  unique nulls not distinct (organization_id, hour, campaign_id, agent_id, outcome)
);
`;
