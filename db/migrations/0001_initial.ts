import { sql, type Kysely } from 'kysely';

/**
 * The whole model of the first version. Frozen: a change is a new migration.
 *
 * Every foreign key carries the organization, so that a row can never point into another one's data.
 * `lines_in_use` counters stand beside their caps, and triggers refuse a step past the cap; a cap may be
 * lowered below what is in use, and then nothing new begins until calls have ended.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  // The engine's clock: the database's, plus an offset that only tests set.
  `create table engine_clock (
     only_row boolean primary key default true check (only_row),
     offset_ms bigint not null default 0
   )`,
  `insert into engine_clock default values`,
  `create function engine_now() returns timestamptz language sql volatile parallel safe as
     $$ select date_trunc('milliseconds', clock_timestamp() + offset_ms * interval '1 millisecond') from engine_clock $$`,
  // Ids that sort by the time they were made (RFC 9562, version 7), so that index pages fill in order.
  `create function new_id() returns uuid language sql volatile parallel safe as
     $$ select encode(
          set_bit(set_bit(
            overlay(uuid_send(gen_random_uuid())
                    placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
                    from 1 for 6),
            52, 1), 53, 1), 'hex')::uuid $$`,

  `create table providers (
     name text primary key check (name ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
     adapter text not null,
     max_lines integer check (max_lines >= 0),
     lines_in_use integer not null default 0 check (lines_in_use >= 0),
     calls_per_second double precision check (calls_per_second > 0),
     next_slot_at timestamptz,
     -- Back-pressure and the circuit breaker: nothing is dialed here before this instant.
     closed_until timestamptz,
     closed_reason text,
     failures_in_a_row integer not null default 0,
     settings jsonb not null default '{}',
     created_at timestamptz not null default now(),
     updated_at timestamptz not null default now()
   ) with (fillfactor = 50)`,

  `create table organizations (
     id uuid primary key default new_id(),
     name text not null check (name <> ''),
     timezone text not null default 'UTC',
     default_provider text references providers (name),
     max_lines integer check (max_lines >= 0),
     lines_in_use integer not null default 0 check (lines_in_use >= 0),
     created_at timestamptz not null default now(),
     updated_at timestamptz not null default now()
   ) with (fillfactor = 50)`,

  `create function refuse_lines_past_cap() returns trigger language plpgsql as $$
   begin
     raise exception 'lines_in_use % would pass max_lines % of %', new.lines_in_use, new.max_lines, tg_table_name
       using errcode = 'check_violation', constraint = tg_table_name || '_lines_within_cap';
   end $$`,
  ...['providers', 'organizations'].map(
    (table) => `create trigger ${table}_lines_within_cap before update of lines_in_use on ${table}
       for each row when (new.lines_in_use > old.lines_in_use and new.lines_in_use > new.max_lines)
       execute function refuse_lines_past_cap()`,
  ),

  `create table users (
     id uuid primary key default new_id(),
     organization_id uuid not null references organizations (id),
     email text not null check (email <> ''),
     first_name text not null,
     last_name text not null,
     role text not null check (role in ('admin', 'manager', 'member', 'viewer')),
     created_at timestamptz not null default now(),
     unique (organization_id, id),
     unique (organization_id, email)
   )`,

  `create table api_keys (
     id uuid primary key default new_id(),
     organization_id uuid not null,
     user_id uuid not null,
     name text not null,
     -- The first characters, so that a key can be told from another in a list.
     prefix text not null,
     key_hash bytea not null unique check (length(key_hash) = 32),
     role text not null check (role in ('admin', 'manager', 'member', 'viewer')),
     expires_at timestamptz,
     revoked_at timestamptz,
     last_used_at timestamptz,
     created_at timestamptz not null default now(),
     foreign key (organization_id, user_id) references users (organization_id, id)
   )`,
  `create index api_keys_by_organization on api_keys (organization_id, created_at)`,

  `create table agents (
     id uuid primary key default new_id(),
     organization_id uuid not null references organizations (id),
     name text not null check (name <> ''),
     config jsonb not null default '{}' check (jsonb_typeof(config) = 'object'),
     created_at timestamptz not null default now(),
     updated_at timestamptz not null default now(),
     unique (organization_id, id)
   )`,
  `create table agent_skills (
     id uuid primary key default new_id(),
     organization_id uuid not null,
     agent_id uuid not null,
     type text not null check (type <> ''),
     exec_order text not null,
     enabled boolean not null default true,
     config jsonb not null default '{}' check (jsonb_typeof(config) = 'object'),
     created_at timestamptz not null default now(),
     foreign key (organization_id, agent_id) references agents (organization_id, id)
   )`,
  `create index agent_skills_by_agent on agent_skills (agent_id, exec_order)`,
  // Prompts are never changed: a new version is a new row, and a call keeps the one it was made with.
  `create table agent_prompts (
     id bigint generated always as identity primary key,
     organization_id uuid not null,
     agent_id uuid not null,
     level integer not null,
     prompt text not null,
     explanation text not null default '',
     mitigation text not null default '',
     harmful_intents jsonb not null default '[]' check (jsonb_typeof(harmful_intents) = 'array'),
     created_at timestamptz not null default now(),
     unique (organization_id, agent_id, id),
     foreign key (organization_id, agent_id) references agents (organization_id, id)
   )`,

  // What the owner set. Rarely written: gates take a share lock on it, so a change waits for them and they for it.
  `create table campaigns (
     id uuid primary key default new_id(),
     organization_id uuid not null references organizations (id),
     name text not null check (name <> ''),
     agent_id uuid not null,
     status text not null check (status in ('draft', 'paused', 'running', 'finished', 'canceled')),
     -- Every change of what a gate depends on adds one; a gate names the revision that it was decided under.
     revision integer not null default 1,
     start_at timestamptz not null,
     end_at timestamptz check (end_at > start_at),
     start_time text not null,
     end_time text not null,
     timezone text not null,
     -- The zones of all recipients: the ones to look at when it is asked who may be dialed now.
     zones text[] not null,
     additional_params jsonb not null default '{}' check (jsonb_typeof(additional_params) = 'object'),
     prompt_params jsonb not null default '{}' check (jsonb_typeof(prompt_params) = 'object'),
     created_by uuid not null,
     started_by uuid,
     created_at timestamptz not null default now(),
     updated_at timestamptz not null default now(),
     ended_at timestamptz,
     unique (organization_id, id),
     foreign key (organization_id, agent_id) references agents (organization_id, id),
     foreign key (organization_id, created_by) references users (organization_id, id),
     foreign key (organization_id, started_by) references users (organization_id, id),
     check (status <> 'running' or started_by is not null)
   )`,
  `create index campaigns_newest_first on campaigns (organization_id, created_at desc, id desc)`,

  `create table campaign_configs (
     id uuid primary key default new_id(),
     organization_id uuid not null,
     campaign_id uuid not null,
     call_on_weekend boolean not null default false,
     queue_again boolean not null default false,
     call_back_attempts integer not null default 0 check (call_back_attempts between 0 and 10),
     retry_delay_seconds integer not null default 900 check (retry_delay_seconds >= 0),
     retry_on text[] not null default '{no_answer,busy,failed,voicemail}',
     max_concurrent_calls integer not null default 10 check (max_concurrent_calls >= 1),
     calls_per_second double precision check (calls_per_second > 0),
     max_attempts_per_recipient integer check (max_attempts_per_recipient >= 1),
     priority integer not null default 0,
     created_at timestamptz not null default now(),
     updated_at timestamptz not null default now(),
     unique (organization_id, campaign_id),
     foreign key (organization_id, campaign_id) references campaigns (organization_id, id)
   )`,

  // What the engine keeps about a campaign. Written at every step, so it stands apart from what gates lock.
  `create table campaign_runtime (
     campaign_id uuid primary key,
     organization_id uuid not null,
     -- The provider its lines are counted at; resolved anew whenever the campaign is set running.
     provider text not null,
     lines_in_use integer not null default 0 check (lines_in_use >= 0),
     next_slot_at timestamptz,
     wake_at timestamptz,
     next_dial_at timestamptz,
     waiting_for text,
     served_at timestamptz,
     -- Set when it ended with recipients that were never dialed; cleared when all are withdrawn.
     withdrawing boolean not null default false,
     foreign key (organization_id, campaign_id) references campaigns (organization_id, id)
   ) with (fillfactor = 50)`,
  `create index campaign_runtime_due on campaign_runtime (wake_at) where wake_at is not null`,
  `create index campaign_runtime_waiting_for_lines on campaign_runtime (provider, organization_id)
     where waiting_for in ('provider_line', 'organization_line')`,
  `create index campaign_runtime_withdrawing on campaign_runtime (campaign_id) where withdrawing`,
  `create function refuse_campaign_lines_past_cap() returns trigger language plpgsql as $$
   declare cap integer;
   begin
     select max_concurrent_calls into cap from campaign_configs
       where organization_id = new.organization_id and campaign_id = new.campaign_id;
     -- Ten is the default of a campaign without a config (design section 4).
     if new.lines_in_use > coalesce(cap, 10) then
       raise exception 'lines_in_use % would pass max_concurrent_calls % of a campaign', new.lines_in_use, coalesce(cap, 10)
         using errcode = 'check_violation', constraint = 'campaign_runtime_lines_within_cap';
     end if;
     return new;
   end $$`,
  `create trigger campaign_runtime_lines_within_cap before update of lines_in_use on campaign_runtime
     for each row when (new.lines_in_use > old.lines_in_use) execute function refuse_campaign_lines_past_cap()`,

  `create table campaign_recipients (
     organization_id uuid not null,
     campaign_id uuid not null,
     id uuid not null default new_id(),
     position integer not null,
     phone_number text not null,
     timezone text not null,
     prompt_params jsonb,
     state text not null default 'pending'
       check (state in ('pending', 'claimed', 'dialing', 'done', 'withdrawn', 'suppressed')),
     attempts integer not null default 0,
     round integer not null default 1,
     round_attempts integer not null default 0,
     next_attempt_at timestamptz,
     first_attempt_at timestamptz,
     last_outcome text,
     withdrawn_at timestamptz,
     claim_id uuid,
     claim_provider text,
     slot_at timestamptz,
     lease_expires_at timestamptz,
     primary key (organization_id, campaign_id, id),
     unique (campaign_id, phone_number),
     foreign key (organization_id, campaign_id) references campaigns (organization_id, id),
     check ((state = 'claimed') = (lease_expires_at is not null)),
     check (state not in ('claimed', 'dialing') or (claim_id is not null and claim_provider is not null)),
     check (state <> 'pending' or (next_attempt_at is not null and claim_id is null and withdrawn_at is null)),
     check (attempts >= round_attempts and round >= 1)
   ) with (fillfactor = 80)`,
  `create index campaign_recipients_due on campaign_recipients (campaign_id, timezone, next_attempt_at, position)
     where state = 'pending'`,
  `create index campaign_recipients_leases on campaign_recipients (lease_expires_at) where state = 'claimed'`,
  `create index campaign_recipients_in_hand on campaign_recipients (campaign_id) where state in ('claimed', 'dialing')`,

  // One row an attempt, written at the gate; a call made by itself is written when it is asked for.
  `create table calls (
     id uuid primary key,
     organization_id uuid not null,
     agent_id uuid not null,
     campaign_id uuid,
     recipient_id uuid,
     attempt integer not null default 1 check (attempt >= 1),
     provider text not null,
     phase text not null check (phase in ('queued', 'placing', 'ringing', 'answered', 'ended')),
     outcome text check (outcome in ('completed', 'no_answer', 'busy', 'rejected', 'voicemail', 'failed',
                                     'invalid_number', 'canceled', 'unknown')),
     phone_number text not null,
     from_phone text,
     prompt_id bigint not null,
     prompt_params jsonb,
     meta jsonb,
     conversation_id text,
     transcript text,
     duration_seconds integer check (duration_seconds >= 0),
     cost numeric(12, 4) not null default 0,
     recording_url text,
     call_extract jsonb,
     external_status text,
     events jsonb not null default '[]',
     created_by uuid not null,
     created_at timestamptz not null,
     -- A call that waits for a line is given up at this instant.
     queue_deadline_at timestamptz,
     slot_at timestamptz,
     gated_at timestamptz,
     -- The provider said that it has the call.
     accepted_at timestamptz,
     answered_at timestamptz,
     ended_at timestamptz,
     corrected_at timestamptz,
     -- When to ask the provider if nothing has been heard by then.
     check_at timestamptz,
     hangup_requested_at timestamptz,
     line_held boolean not null default false,
     foreign key (organization_id, agent_id) references agents (organization_id, id),
     foreign key (organization_id, agent_id, prompt_id) references agent_prompts (organization_id, agent_id, id),
     foreign key (organization_id, campaign_id, recipient_id)
       references campaign_recipients (organization_id, campaign_id, id),
     foreign key (organization_id, created_by) references users (organization_id, id),
     check ((campaign_id is null) = (recipient_id is null)),
     check ((phase = 'ended') = (outcome is not null)),
     check ((phase = 'ended') = (ended_at is not null)),
     check (phase in ('queued', 'ended') or (gated_at is not null and check_at is not null and line_held)),
     check (phase <> 'queued' or (queue_deadline_at is not null and not line_held)),
     check (phase <> 'ended' or not line_held)
   ) with (fillfactor = 70)`,
  `create unique index calls_one_live_per_recipient on calls (recipient_id)
     where phase in ('placing', 'ringing', 'answered')`,
  `create unique index calls_one_live_per_number on calls (organization_id, phone_number)
     where phase in ('placing', 'ringing', 'answered')`,
  `create unique index calls_attempts on calls (recipient_id, attempt) where recipient_id is not null`,
  `create index calls_to_check on calls (check_at) where phase in ('placing', 'ringing', 'answered')`,
  `create index calls_queued on calls (provider, created_at) where phase = 'queued'`,
  `create index calls_by_agent on calls (organization_id, agent_id, created_at desc, id desc)`,

  `create table suppressions (
     organization_id uuid not null references organizations (id),
     phone_number text not null,
     reason text,
     created_at timestamptz not null default now(),
     primary key (organization_id, phone_number)
   )`,

  // The answer to a request that carried Idempotency-Key, written in the transaction that created the resource.
  `create table idempotency_keys (
     organization_id uuid not null references organizations (id),
     method text not null,
     path text not null,
     key text not null,
     body_hash bytea not null,
     -- What was answered, without the fields that the request itself repeats.
     response jsonb not null,
     created_at timestamptz not null default now(),
     primary key (organization_id, method, path, key)
   )`,
  `create index idempotency_keys_by_age on idempotency_keys (created_at)`,
];
