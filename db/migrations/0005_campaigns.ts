import { sql, type Kysely } from 'kysely';

/**
 * Campaigns, the people of their lists, and how many of these are in which state. Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(schema).execute(db);
}

const outcomes = [
  'completed',
  'no_answer',
  'busy',
  'rejected',
  'voicemail',
  'failed',
  'invalid_number',
  'canceled',
  'unknown',
];

/** Each recipient is in exactly one of the first seven. */
const counted: Record<string, string> = {
  waiting: `state = 'pending' and last_outcome is null`,
  retrying: `state = 'pending' and last_outcome is not null`,
  in_call: `state = 'dialing'`,
  reached: `state = 'done' and last_outcome = 'completed'`,
  unreached: `state = 'done' and last_outcome is distinct from 'completed'`,
  suppressed: `state = 'suppressed'`,
  withdrawn: `state = 'withdrawn'`,
  ...Object.fromEntries(outcomes.map((outcome) => [`last_${outcome}`, `last_outcome = '${outcome}'`])),
};
const names = [...Object.keys(counted), 'dials'];
const countColumns = names.map((name) => `${name} integer not null default 0`).join(',\n  ');
const sums = Object.entries(counted).map(
  ([name, holds]) => `coalesce(sum(sign) filter (where ${holds}), 0)::int as ${name}`,
);

const counting = (event: string, rows: readonly string[]) => `
create function count_recipients_${event}() returns trigger language plpgsql as $$
begin
  insert into campaign_count_changes (campaign_id, ${names.join(', ')}, dialed_at)
  select campaign_id, ${names.join(', ')}, case when dials > 0 then engine_now() end
  from (
    select campaign_id, ${sums.join(', ')}, sum(sign * attempts)::int as dials
    from (${rows.join(' union all ')}) changed group by campaign_id) of_campaign
  where (${names.join(', ')}) <> (${names.map(() => '0').join(', ')});
  return null;
end $$;`;

const read = 'select campaign_id, state, last_outcome, attempts';
const added = `${read}, 1 as sign from added`;
const removed = `${read}, -1 as sign from removed`;
const countFunctions = [
  counting('added', [added]),
  counting('removed', [removed]),
  counting('changed', [added, removed]),
].join('\n');

const schema = `
-- A config row always exists, so that its defaults stand in one place.
create function add_campaign_config() returns trigger language plpgsql as $$
begin
  insert into campaign_configs (organization_id, campaign_id, created_at, updated_at)
    values (new.organization_id, new.id, new.created_at, new.created_at);
  return null;
end $$;

-- What the owner set. Rarely written: gates take a share lock on it, so a change waits for them and they for it.
create table campaigns (
  id uuid primary key default new_id(),
  organization_id uuid not null references organizations (id),
  name text not null check (name <> ''),
  agent_id uuid not null,
  status text not null check (status in ('draft', 'paused', 'running', 'finished', 'canceled')),
  -- Every change of what a gate depends on adds one; a gate names the revision that it was decided under.
  revision integer not null default 1,
  start_at timestamptz not null,
  end_at timestamptz,
  start_time text not null,
  end_time text not null,
  timezone text not null,
  -- The calling keys of all recipients: the ones to look at when it is asked who may be dialed now.
  calling_keys text[] not null,
  additional_params jsonb not null default '{}' check (jsonb_typeof(additional_params) = 'object'),
  prompt_params jsonb not null default '{}' check (jsonb_typeof(prompt_params) = 'object'),
  created_by uuid not null,
  started_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  ended_at timestamptz,
  -- What the list says of its people, as JSON text: up to sixty megabytes, so lists of campaigns do not read it, and uncompressed, so that a part of it can be read.
  recipient_params bytea,
  list_revision integer not null default 0,
  deleted_at timestamptz,
  -- Its recipients without calls are gone too.
  erased_at timestamptz,
  values_deleted_at timestamptz,
  end_date_at timestamptz,
  calling_policy text not null default 'none' check (calling_policy in ('strict', 'standard', 'none')),
  calling_keys_policy text not null default 'none' check (calling_keys_policy in ('strict', 'standard', 'none')),
  -- Increases with each number that joins or leaves the list. list_revision does not: a reader of a long list would have to begin again.
  recipients_revision integer not null default 0,
  unique (organization_id, id),
  foreign key (organization_id, agent_id) references agents (organization_id, id),
  foreign key (organization_id, created_by) references users (organization_id, id),
  foreign key (organization_id, started_by) references users (organization_id, id),
  check (end_at > start_at),
  check (status <> 'running' or started_by is not null)
);
alter table campaigns alter column recipient_params set storage external;
create index campaigns_newest_first on campaigns (organization_id, created_at desc, id desc);
-- Who holds an organization's lines: its running campaigns.
create index campaigns_running on campaigns (organization_id) where status = 'running';
create index campaigns_to_erase on campaigns (deleted_at) where deleted_at is not null and erased_at is null;
create index campaigns_to_key on campaigns (id) where calling_policy <> calling_keys_policy;

create trigger campaigns_have_a_config after insert on campaigns
  for each row execute function add_campaign_config();

create table campaign_configs (
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
  retry_delays_seconds jsonb check (jsonb_typeof(retry_delays_seconds) in ('array', 'object')),
  purpose text check (purpose in ('marketing', 'service', 'debt_collection')),
  require_consent boolean not null default false,
  consent_bases text[] check (cardinality(consent_bases) > 0),
  scrub_lists text[] check (cardinality(scrub_lists) between 1 and 10),
  unique (organization_id, campaign_id),
  foreign key (organization_id, campaign_id) references campaigns (organization_id, id)
);

create function refuse_campaign_lines_past_cap() returns trigger language plpgsql as $$
declare cap integer;
begin
  select max_concurrent_calls into cap from campaign_configs
    where organization_id = new.organization_id and campaign_id = new.campaign_id;
  if new.lines_in_use > coalesce(cap, 10) then
    raise exception 'lines_in_use % would pass max_concurrent_calls % of a campaign', new.lines_in_use, coalesce(cap, 10)
      using errcode = 'check_violation', constraint = 'campaign_runtime_lines_within_cap';
  end if;
  return new;
end $$;

-- What the engine keeps about a campaign. Written at every step, so it stands apart from what gates lock.
create table campaign_runtime (
  campaign_id uuid primary key,
  organization_id uuid not null,
  -- The provider its lines are counted at; resolved each time the campaign is set running.
  provider text not null,
  lines_in_use integer not null default 0 check (lines_in_use >= 0),
  wake_at timestamptz,
  next_dial_at timestamptz,
  waiting_for text,
  served_at timestamptz,
  -- Set when it ended with recipients that were never dialed; cleared when all are withdrawn.
  withdrawing boolean not null default false,
  -- The rules changed while it did not run, and are applied to its waiting recipients when it does.
  replan boolean not null default false,
  -- When it last stopped running.
  stopped_at timestamptz,
  failures integer not null default 0,
  last_error text,
  retry_at timestamptz,
  blocked_since timestamptz,
  blocked_for text,
  blocked_event_at timestamptz,
  -- Calls of the last 30 days that no voice answered in time, such as {"share": 0.04, "calls": 120}; null where all is well.
  abandonment jsonb check (jsonb_typeof(abandonment) = 'object'),
  pace jsonb,
  foreign key (organization_id, campaign_id) references campaigns (organization_id, id)
) with (fillfactor = 50);
create index campaign_runtime_due on campaign_runtime (wake_at) where wake_at is not null;
create index campaign_runtime_waiting_for_lines on campaign_runtime (provider, organization_id)
  where waiting_for in ('provider_line', 'organization_line');
create index campaign_runtime_withdrawing on campaign_runtime (campaign_id) where withdrawing;

create trigger campaign_runtime_lines_within_cap before update of lines_in_use on campaign_runtime
  for each row when (new.lines_in_use > old.lines_in_use) execute function refuse_campaign_lines_past_cap();

${countFunctions}

create table campaign_recipients (
  organization_id uuid not null,
  campaign_id uuid not null,
  id uuid not null default new_id(),
  position integer not null,
  phone_number text not null,
  calling_key text not null,
  prompt_params jsonb,
  state text not null default 'pending' check (state in ('pending', 'dialing', 'done', 'withdrawn', 'suppressed')),
  attempts integer not null default 0,
  round integer not null default 1,
  round_attempts integer not null default 0,
  next_attempt_at timestamptz,
  first_attempt_at timestamptz,
  last_outcome text,
  withdrawn_at timestamptz,
  -- The call in progress.
  call_id uuid,
  -- Why nobody dials the person any more; null while somebody may.
  finish_reason text,
  -- The round that somebody asked for, which the rules of the campaign do not take away.
  requested_round integer,
  deferred_until timestamptz,
  deferred_for text,
  place jsonb check (jsonb_typeof(place) = 'object'),
  unique (campaign_id, phone_number),
  primary key (organization_id, campaign_id, id),
  foreign key (organization_id, campaign_id) references campaigns (organization_id, id),
  check (state <> 'dialing' or call_id is not null),
  check (state <> 'pending' or (next_attempt_at is not null and call_id is null and withdrawn_at is null)),
  check (attempts >= round_attempts and round >= 1)
) with (fillfactor = 80);
create index campaign_recipients_due on campaign_recipients (campaign_id, calling_key, next_attempt_at, position) where state = 'pending';
create index campaign_recipients_in_hand on campaign_recipients (campaign_id) where state = 'dialing';
create index campaign_recipients_open on campaign_recipients (campaign_id, coalesce(last_outcome, ''), id) where state = 'pending';
create index campaign_recipients_done on campaign_recipients (campaign_id, coalesce(last_outcome, ''), id) where state = 'done';
create index campaign_recipients_never_dialed on campaign_recipients (campaign_id, state, coalesce(last_outcome, ''), id)
  where state in ('suppressed', 'withdrawn');

create trigger count_recipients_added after insert on campaign_recipients referencing new table as added
  for each statement execute function count_recipients_added();
create trigger count_recipients_removed after delete on campaign_recipients referencing old table as removed
  for each statement execute function count_recipients_removed();
create trigger count_recipients_changed after update on campaign_recipients referencing old table as removed new table as added
  for each statement execute function count_recipients_changed();

-- How many recipients of a campaign are in which state, so that reading it costs the same for ten recipients and for a million. Every statement that changes
-- recipients appends one row for each campaign with the differences, so no row is shared and nobody waits. A sweep adds the differences to
-- \`campaign_counts\`; a reader adds both in one snapshot.
create table campaign_counts (
  campaign_id uuid primary key,
  ${countColumns},
  first_dial_at timestamptz,
  last_dial_at timestamptz,
  changed_at timestamptz not null default engine_now(),
  -- When the numbers were last compared with the recipients.
  proven_at timestamptz
) with (fillfactor = 50);

create table campaign_count_changes (
  id bigint primary key generated always as identity,
  campaign_id uuid not null,
  ${countColumns},
  dialed_at timestamptz
) with (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_insert_scale_factor = 0,
  autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000
);
create index campaign_count_changes_by_campaign on campaign_count_changes (campaign_id);

-- When running campaigns will end, by the last forecast of each: the campaign's revision then, when it is due again, and when after a change.
create table campaign_estimates (
  campaign_id uuid primary key references campaigns (id) on delete cascade,
  organization_id uuid not null,
  revision integer not null,
  ends_at timestamptz,
  estimated_at timestamptz not null,
  next_at timestamptz not null,
  rests_until timestamptz not null
);
-- When an organization had its last turn.
create index campaign_estimates_turn on campaign_estimates (organization_id, estimated_at);

-- Dials of a recipient that failed one after the other: written where one fails, and never read by a dial that goes well.
create table failing_recipients (
  recipient_id uuid primary key,
  organization_id uuid not null,
  campaign_id uuid not null references campaigns (id) on delete cascade,
  -- The recipient's at that time: once it has more, the run of failures is over.
  attempts integer not null,
  failures integer not null,
  last_error text not null,
  failing_since timestamptz not null,
  last_failed_at timestamptz not null
);
create index failing_recipients_by_campaign on failing_recipients (campaign_id);
create index failing_recipients_oldest on failing_recipients (last_failed_at);
`;
