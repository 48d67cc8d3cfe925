import { sql, type Kysely } from 'kysely';

/**
 * Organizations with their limits, users and credentials, and the log of who changed what.
 *
 * Every foreign key below an organization carries it, so that a row can never point into another organization's data. Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(schema).execute(db);
}

const schema = `
create function count_lines_of_organizations() returns trigger language plpgsql as $$
begin
  if new.max_lines is null then new.lines_in_use := 0;
  elsif old.max_lines is null then new.lines_in_use :=
    (select count(*) + count(*) filter (where transfer_line) from calls
     where organization_id = new.id and line_held);
  end if;
  return new;
end $$;

create table organizations (
  id uuid primary key default new_id(),
  name text not null check (name <> ''),
  timezone text not null default 'UTC',
  default_provider text references providers (name),
  max_lines integer check (max_lines >= 0),
  lines_in_use integer not null default 0 check (lines_in_use >= 0),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Null keeps data until it is deleted otherwise.
  keep_transcripts_days integer check (keep_transcripts_days between 1 and 36500),
  keep_recordings_days integer check (keep_recordings_days between 1 and 36500),
  keep_prompt_values_days integer check (keep_prompt_values_days between 1 and 36500),
  keep_calls_days integer check (keep_calls_days between 1 and 36500),
  allowed_countries text[],
  allowed_special_numbers text[] not null default '{}',
  max_campaigns integer check (max_campaigns >= 0),
  max_recipients integer check (max_recipients >= 0),
  max_calls_per_day integer check (max_calls_per_day >= 0),
  max_spend_per_day numeric(14,4) check (max_spend_per_day >= 0),
  requests_per_minute integer check (requests_per_minute > 0),
  line_weight integer not null default 1 check (line_weight between 1 and 1000),
  calling_policy text not null default 'none' check (calling_policy in ('strict', 'standard', 'none')),
  has_caller_ids boolean not null default false,
  caller_id_rules jsonb not null default '{}' check (jsonb_typeof(caller_id_rules) = 'object'),
  max_recorded_gigabytes integer check (max_recorded_gigabytes >= 0),
  max_inbound_calls integer check (max_inbound_calls >= 0),
  max_inbound_per_caller_hour integer check (max_inbound_per_caller_hour >= 0),
  max_inbound_per_number_hour integer check (max_inbound_per_number_hour >= 0),
  -- What its agents may have the carrier do with an answered call: nothing, until the operator allows it.
  own_twiml boolean not null default false,
  voice_hosts text[] not null default '{}'
) with (fillfactor = 50);

create trigger organizations_lines_within_cap before update of lines_in_use on organizations
  for each row when (new.lines_in_use > old.lines_in_use and new.lines_in_use > new.max_lines) execute function refuse_lines_past_cap();
create trigger organizations_hold_line_caps before update of max_lines on organizations
  for each statement execute function hold_line_caps();
create trigger organizations_count_lines before update of max_lines on organizations
  for each row when (new.max_lines is distinct from old.max_lines) execute function count_lines_of_organizations();

-- What organizations have had of the lines of a provider with a cap, so that they take turns.
create table line_accounts (
  provider text not null references providers (name) on update cascade on delete cascade,
  organization_id uuid not null references organizations (id) on delete cascade,
  weight integer not null,
  -- Seconds of lines for its weight, up to as_of; lines are those that it has had since.
  used double precision not null,
  lines integer not null,
  as_of timestamptz not null,
  seen_at timestamptz not null,
  primary key (provider, organization_id)
) with (fillfactor = 50);

create table users (
  id uuid primary key default new_id(),
  organization_id uuid not null references organizations (id),
  email text not null check (email <> ''),
  first_name text not null,
  last_name text not null,
  role text not null check (role in ('admin', 'manager', 'member', 'viewer')),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  disabled_at timestamptz,
  -- Tokens that were issued before this instant are refused.
  tokens_not_before timestamptz,
  -- Of a user whom a token brought in, until an admin sets the role: the token's role holds. Otherwise no credential is above it.
  role_follows_token boolean not null default false,
  unique (organization_id, id),
  unique (organization_id, email)
);
create index users_newest_first on users (organization_id, created_at desc, id desc);
-- An identity provider names people by their e-mail address.
create index users_by_email on users (lower(email));

create table api_keys (
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
);
create index api_keys_by_organization on api_keys (organization_id, created_at);

-- Judges in a transaction whether its user still has the right to it: a credential may be revoked, or its user disabled or demoted, after the request was
-- authenticated.
create function require_rights(organization uuid, caller uuid, credential_type text, credential_id text, issued_at timestamptz,
  caller_role text, allowed text[], at timestamptz) returns void language plpgsql as $$
declare
  least_first constant text[] := array['viewer', 'member', 'manager', 'admin'];
  present text;
begin
  select case when u.role_follows_token and credential_type = 'token' then caller_role
    else least_first[least(array_position(least_first, u.role), array_position(least_first, caller_role))] end
  into present
  from users u
  where u.organization_id = organization and u.id = caller and u.disabled_at is null
    and case credential_type
      when 'api_key' then exists (
        select from api_keys k where k.organization_id = organization and k.id = credential_id::uuid
          and k.revoked_at is null and (k.expires_at is null or k.expires_at > at))
      when 'session' then exists (
        select from console_sessions s left join api_keys k on k.id = s.api_key_id
        where s.organization_id = organization and s.id = credential_id::uuid and s.expires_at > at
          and k.revoked_at is null and (k.expires_at is null or k.expires_at > at))
      else u.tokens_not_before is null or issued_at >= u.tokens_not_before
    end;
  if present is null then
    raise exception 'the credential is no longer valid' using errcode = 'OD401';
  elsif not present = any(allowed) then
    raise exception 'the role no longer suffices' using errcode = 'OD403';
  end if;
end $$;

create table console_sessions (
  id uuid primary key default new_id(),
  token_hash bytea not null unique,
  organization_id uuid not null,
  user_id uuid not null,
  -- What the session may do at most: the lesser of this and the user's role.
  role text not null check (role in ('viewer', 'member', 'manager', 'admin')),
  -- The key that it was signed in with, and ends with.
  api_key_id uuid references api_keys (id) on delete cascade,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade
);
create index console_sessions_of_user on console_sessions (organization_id, user_id, created_at);
create index console_sessions_of_key on console_sessions (api_key_id) where api_key_id is not null;
create index console_sessions_expiring on console_sessions (expires_at);

-- A link is deleted when it is used.
create table sign_in_links (
  token_hash bytea primary key,
  organization_id uuid not null,
  user_id uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- Who made the link, and with which key: it is valid no longer than they are. Null for an operator of the command line.
  created_by uuid,
  api_key_id uuid references api_keys (id) on delete cascade,
  foreign key (organization_id, user_id) references users (organization_id, id) on delete cascade,
  foreign key (organization_id, created_by) references users (organization_id, id) on delete cascade
);
create index sign_in_links_of_user on sign_in_links (organization_id, user_id);
create index sign_in_links_expiring on sign_in_links (expires_at);
create index sign_in_links_by_maker on sign_in_links (organization_id, created_by) where created_by is not null;
create index sign_in_links_of_key on sign_in_links (api_key_id) where api_key_id is not null;

-- The answer to a request that carried Idempotency-Key, written in the transaction that created the resource.
create table idempotency_keys (
  organization_id uuid not null references organizations (id),
  method text not null,
  path text not null,
  key text not null,
  body_hash bytea not null,
  -- What was answered, without the fields that the request itself repeats.
  response jsonb not null,
  created_at timestamptz not null default now(),
  primary key (organization_id, method, path, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

create table tags (
  id uuid primary key default new_id(),
  organization_id uuid not null references organizations (id),
  name text not null check (name <> ''),
  created_at timestamptz not null default now(),
  unique (organization_id, name)
);

create function refuse_audit_log_change() returns trigger language plpgsql as $$
begin
  raise exception 'audit_log is append-only' using errcode = 'insufficient_privilege';
end $$;

create table audit_log (
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
);
create index audit_log_newest_first on audit_log (organization_id, created_at desc, id desc);

create trigger audit_log_is_append_only before delete OR update on audit_log
  for each row execute function refuse_audit_log_change();
create trigger audit_log_is_not_truncated before truncate on audit_log
  for each statement execute function refuse_audit_log_change();

-- Calls that were created before it have been dealt with, so that a sweep does not read them again.
create table retention_progress (
  organization_id uuid not null references organizations (id),
  kind text not null check (kind in ('transcripts', 'recordings', 'prompt_values', 'calls')),
  done_until timestamptz not null,
  primary key (organization_id, kind)
);
`;
