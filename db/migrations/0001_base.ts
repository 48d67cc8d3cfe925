import { sql, type Kysely } from 'kysely';

/**
 * What belongs to the whole installation: the clock, providers and the processes that are alive. Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(schema).execute(db);
}

const schema = `
-- The engine's clock: the database's, plus an offset that only tests set.
create table engine_clock (
  only_row boolean primary key default true check (only_row),
  offset_ms bigint not null default 0
);
insert into engine_clock default values;

create function engine_now() returns timestamptz language sql parallel safe as $$
  select date_trunc('milliseconds', clock_timestamp() + offset_ms * interval '1 millisecond') from engine_clock
$$;

-- Ids that sort by the time they were made (RFC 9562, version 7), so that index pages fill in order.
create function new_id() returns uuid language sql parallel safe as $$ select encode(
  set_bit(set_bit(
    overlay(uuid_send(gen_random_uuid())
            placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
            from 1 for 6),
    52, 1), 53, 1), 'hex')::uuid $$;

create function refuse_lines_past_cap() returns trigger language plpgsql as $$
begin
  raise exception 'lines_in_use % would pass max_lines % of %', new.lines_in_use, new.max_lines, tg_table_name
    using errcode = 'check_violation', constraint = tg_table_name || '_lines_within_cap';
end $$;

create function count_lines_of_providers() returns trigger language plpgsql as $$
begin
  if new.max_lines is null then new.lines_in_use := 0;
  elsif old.max_lines is null then new.lines_in_use :=
    (select count(*) + count(*) filter (where transfer_line) from calls
     where provider = new.name and line_held);
  end if;
  return new;
end $$;

-- Setting a cap counts lines under this lock. It is waited for briefly and repeatedly: those who come while somebody waits for it alone would wait as well.
create function hold_line_caps() returns trigger language plpgsql as $$
declare
  timeout_before text := current_setting('lock_timeout');
begin
  for attempt in 1..100 loop
    begin
      perform set_config('lock_timeout', '200ms', true);
      perform pg_advisory_xact_lock(1, 0);
      perform set_config('lock_timeout', timeout_before, true);
      return null;
    exception when lock_not_available then
      perform pg_sleep(0.1);
    end;
  end loop;
  raise exception 'the lines of this installation were being counted for half a minute: set the cap again'
    using errcode = 'lock_not_available';
end $$;

-- Before the row is locked: a gate that is open may want the row.
create function hold_provider_paces() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(1, 1);
  return null;
end $$;

create table providers (
  name text primary key check (name ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
  adapter text not null,
  max_lines integer check (max_lines >= 0),
  lines_in_use integer not null default 0 check (lines_in_use >= 0),
  calls_per_second double precision check (calls_per_second > 0),
  -- Back-pressure and the circuit breaker: nothing is dialed here before this instant.
  closed_until timestamptz,
  closed_reason text,
  failures_in_a_row integer not null default 0,
  settings jsonb not null default '{}',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- The gates of the last second, in buckets of 25 ms.
  pace jsonb,
  -- An unknown code that was given to several people in a row.
  unknown_code jsonb
) with (fillfactor = 50);

create trigger providers_lines_within_cap before update of lines_in_use on providers
  for each row when (new.lines_in_use > old.lines_in_use and new.lines_in_use > new.max_lines) execute function refuse_lines_past_cap();
create trigger providers_hold_line_caps before update of max_lines on providers
  for each statement execute function hold_line_caps();
create trigger providers_count_lines before update of max_lines on providers
  for each row when (new.max_lines is distinct from old.max_lines) execute function count_lines_of_providers();
create trigger providers_hold_paces before update of calls_per_second on providers
  for each statement execute function hold_provider_paces();

-- Workers write that they are alive, by the database's clock and not the engine's: a test that sets the engine's clock makes no worker look dead.
create table workers (
  id uuid primary key,
  started_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp()
) with (fillfactor = 50);

-- When this database was last reached, and since when without a long break: processes cannot send heartbeats during an outage, so their silence is judged
-- some time after it.
create table outage_watch (
  only_row boolean primary key default true check (only_row),
  reached_at timestamptz not null default clock_timestamp(),
  unbroken_since timestamptz not null default '-infinity'
);

-- The table of rate-limiter-flexible.
create table rate_limits (
  key character varying(255) primary key,
  points integer not null default 0,
  expire bigint
);

-- Numbers that no organization of the installation calls.
create table installation_suppressions (
  phone_number text primary key,
  reason text,
  created_at timestamptz not null,
  recipients_check_at timestamptz default '-infinity'
);
create index installation_suppressions_to_end on installation_suppressions (recipients_check_at) where recipients_check_at is not null;

-- After the rows are written, so that gates wait for the commit of a list and not for the list.
create trigger installation_suppressions_added after insert on installation_suppressions
  for each statement execute function hold_provider_paces();
`;
