import { sql, type Kysely } from 'kysely';

/**
 * Whom nobody may call, with what consent somebody may, from which number, and how often.
 *
 * A change that forbids a call takes the lock of its organization's gates, by trigger, so that no path can forget it: gates that were open have committed by then, and
 * later ones wait and read the change. `db/src/locks.ts` names the locks. Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(schema).execute(db);
}

const schema = `
-- After the rows are written: gates wait for the commit of a list and not for the list.
create function hold_suppressions() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(3, hashtext(organization_id::text))
    from (select distinct organization_id from changed order by organization_id) one;
  return null;
end $$;

create function hold_changed_suppressions() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(3, hashtext(organization_id::text)) from (
    select distinct n.organization_id
    from changed n join before b on b.organization_id = n.organization_id and b.phone_number = n.phone_number
    where n.expires_at is distinct from b.expires_at
    order by n.organization_id) held;
  return null;
end $$;

create function write_suppression_events() returns trigger language plpgsql as $$
begin
  insert into outbox (organization_id, type, data, created_at)
  select organization_id, 'suppression.added', jsonb_strip_nulls(jsonb_build_object(
    'phone_number', phone_number, 'reason', reason)), engine_now()
  from added;
  return null;
end $$;

create table suppressions (
  organization_id uuid not null references organizations (id),
  phone_number text not null,
  reason text,
  created_at timestamptz not null default now(),
  source text,
  note text,
  created_by uuid,
  -- The number may be dialed again from this instant on; null keeps it from being dialed for good.
  expires_at timestamptz,
  -- When recipients that wait for the number are looked for; null once none is left.
  recipients_check_at timestamptz default '-infinity',
  primary key (organization_id, phone_number),
  foreign key (organization_id, created_by) references users (organization_id, id)
);

-- What is left of the requests of erased people: a number that is on the suppression list can be recognized, and not be read without the key.
create table erasure_key (
  is_only boolean primary key default true check (is_only),
  key bytea not null
);
insert into erasure_key (key)
  values (decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'));

create table erased_suppressions (
  organization_id uuid not null references organizations (id),
  number_hash bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  primary key (organization_id, number_hash)
);

create function erased_number_hash(organization uuid, phone text) returns bytea language sql stable as $$
  select sha256(key || convert_to(organization::text || ' ' || phone, 'UTF8')) from erasure_key
$$;

create index suppressions_newest_first on suppressions (organization_id, created_at desc, phone_number desc);
create index suppressions_expiring on suppressions (expires_at) where expires_at is not null;
create index suppressions_to_end on suppressions (recipients_check_at) where recipients_check_at is not null;

create trigger suppressions_added after insert on suppressions referencing new table as changed
  for each statement execute function hold_suppressions();
create trigger suppressions_events after insert on suppressions referencing new table as added
  for each statement execute function write_suppression_events();
create trigger suppressions_updated after update on suppressions referencing old table as before new table as changed
  for each statement execute function hold_changed_suppressions();

-- Numbers that an organization calls from. A number belongs to one organization, and is used once the operator has confirmed it.
create table caller_ids (
  id uuid primary key default new_id(),
  organization_id uuid not null references organizations (id),
  phone_number text not null,
  country text not null,
  prefixes text[] not null default '{}',
  attestation text check (attestation in ('A', 'B', 'C')),
  calls_per_day integer not null check (calls_per_day > 0),
  calls_per_hour integer check (calls_per_hour > 0),
  warm_up_days integer not null default 0 check (warm_up_days >= 0),
  warm_up_from timestamptz not null,
  state text not null default 'pending' check (state in ('pending', 'active', 'resting', 'retired')),
  state_reason text,
  resting_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  agent_id uuid,
  unique (organization_id, phone_number),
  unique (organization_id, id),
  constraint caller_ids_agent foreign key (organization_id, agent_id) references agents (organization_id, id),
  check (resting_until is null or state = 'resting')
);
create index caller_ids_newest_first on caller_ids (organization_id, created_at desc, id desc);
-- Whose number it is that somebody calls.
create unique index caller_ids_by_number on caller_ids (phone_number);

create trigger caller_ids_changed after update on caller_ids referencing new table as changed
  for each statement execute function hold_suppressions();
create trigger caller_ids_gone after delete on caller_ids referencing old table as changed
  for each statement execute function hold_suppressions();

create table caller_id_uses (
  call_id uuid primary key,
  organization_id uuid not null,
  caller_id uuid not null,
  phone_number text not null,
  used_at timestamptz not null,
  dialed_at timestamptz
) with (fillfactor = 50);
create index caller_id_uses_counted on caller_id_uses (caller_id, used_at);
create index caller_id_uses_of_person on caller_id_uses (organization_id, phone_number, used_at desc);

create function refuse_change_of_ledger() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are never changed', tg_table_name;
end $$;

create table consents (
  id uuid primary key default new_id(),
  organization_id uuid not null references organizations (id),
  phone_number text not null,
  basis text not null check (basis in ('prior_express', 'prior_express_written', 'existing_business', 'transactional', 'inquiry')),
  -- Purposes of campaigns that it covers; null covers all.
  scope text[] check (cardinality(scope) > 0),
  text_shown text,
  source text not null,
  evidence_hash text,
  given_at timestamptz not null,
  expires_at timestamptz,
  created_by uuid,
  created_at timestamptz not null default now(),
  unique (organization_id, id),
  check (expires_at > given_at)
);
create index consents_of_person on consents (organization_id, phone_number, given_at desc);
create index consents_newest_first on consents (organization_id, created_at desc, id desc);

create trigger consents_stay before update on consents
  for each row execute function refuse_change_of_ledger();

create table consent_revocations (
  organization_id uuid not null,
  consent_id uuid not null,
  reason text,
  revoked_at timestamptz not null,
  created_by uuid,
  primary key (organization_id, consent_id),
  foreign key (organization_id, consent_id) references consents (organization_id, id) on delete cascade
);

create trigger revocations_stay before update on consent_revocations
  for each row execute function refuse_change_of_ledger();
create trigger consents_revoked after insert on consent_revocations referencing new table as changed
  for each statement execute function hold_suppressions();

-- No foreign key: the gate that writes it has just read the consent.
create table consent_uses (
  consent_id uuid primary key,
  first_used_at timestamptz not null,
  last_used_at timestamptz not null,
  uses integer not null
) with (fillfactor = 70);

-- What the gates of a campaign were decided by, in the words of their receipts; many calls share a row.
create table gate_grounds (
  id uuid primary key,
  organization_id uuid not null references organizations (id),
  content jsonb not null check (jsonb_typeof(content) = 'object'),
  created_at timestamptz not null default now()
);

create trigger grounds_stay before update on gate_grounds
  for each row execute function refuse_change_of_ledger();

-- How often the gate refused a recipient, by reason.
create table gate_refusals (
  recipient_id uuid primary key,
  organization_id uuid not null,
  campaign_id uuid not null references campaigns (id) on delete cascade,
  -- {"person_capped": 3}
  counts jsonb not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  last_reason text not null,
  last_grounds_id uuid,
  last_person_check jsonb
) with (fillfactor = 80);
create index gate_refusals_by_campaign on gate_refusals (campaign_id);

create function hold_person_caps() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(3, hashtext(new.organization_id::text));
  perform fill_called_people(new.organization_id);
  return null;
end $$;

create table person_caps (
  organization_id uuid primary key references organizations (id),
  -- {"calls": [{"calls": 3, "hours": 24}], "gap_seconds": 14400, "after_conversation_hours": 168}; null is no such cap.
  caps jsonb not null default '{}' check (jsonb_typeof(caps) = 'object'),
  updated_at timestamptz not null default now()
);

create trigger person_caps_set after insert OR update on person_caps
  for each row execute function hold_person_caps();

create table called_people (
  organization_id uuid not null,
  phone_number text not null,
  -- The instants of the gates, and the campaign of each; null for a direct call.
  dialed_at timestamptz[] not null default '{}',
  campaign_ids uuid[] not null default '{}',
  -- The end of the last conversation about a debt.
  conversation_at timestamptz,
  primary key (organization_id, phone_number),
  check (cardinality(dialed_at) = cardinality(campaign_ids))
) with (fillfactor = 50);

-- Until when the calls of an organization were counted, and when that was found: most of them before its gates have to wait.
create table called_people_fills (
  organization_id uuid primary key references organizations (id) on delete cascade,
  counted_to timestamptz not null,
  at timestamptz not null
);

create function fill_called_people(organization uuid) returns void language plpgsql as $$
declare
  now constant timestamptz := engine_now();
  -- Set caps right after this: until then, gates may pass that record nothing.
  since constant timestamptz := greatest(now - interval '31 days', (
    select counted_to from called_people_fills
    where organization_id = organization and at between now - interval '10 minutes' and now));
begin
  insert into called_people as p (organization_id, phone_number, dialed_at, campaign_ids, conversation_at)
  select organization, c.phone_number, array_agg(c.gated_at order by c.gated_at, c.id), array_agg(c.campaign_id order by c.gated_at, c.id),
    max(c.ended_at) filter (where c.outcome = 'completed' and f.purpose = 'debt_collection')
  from calls c left join campaign_configs f on f.organization_id = c.organization_id and f.campaign_id = c.campaign_id
  -- A direct call is written before its gate, by the time that it waits for a line at most.
  where c.organization_id = organization and c.created_at > since - interval '1 hour'
    and c.kind = 'phone_outbound' and c.phone_number <> '' and c.gated_at > since
  group by c.phone_number order by c.phone_number
  on conflict (organization_id, phone_number) do update
    set conversation_at = greatest(p.conversation_at, excluded.conversation_at),
      (dialed_at, campaign_ids) = (
      select array_agg(d.at order by d.at), array_agg(d.by order by d.at)
      from (select distinct on (at) at, by
            from unnest(p.dialed_at || excluded.dialed_at, p.campaign_ids || excluded.campaign_ids) as one(at, by)
            order by at) d);
end $$;

-- A newer version forbids nothing by its instant: its numbers did, as they were added.
create function hold_removed_scrub_lists() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(3, hashtext(organization_id::text)) from (
    select distinct n.organization_id from changed n join before b on b.id = n.id
    where n.removed_at is distinct from b.removed_at or n.good_for_days < b.good_for_days
      or n.jurisdiction is distinct from b.jurisdiction
    order by 1) held;
  return null;
end $$;

-- Numbers that an authority or a vendor says are not to be called, with the instant of each version.
create table scrub_lists (
  id uuid primary key default new_id(),
  organization_id uuid not null references organizations (id),
  name text not null,
  source text not null,
  account text,
  -- The country or state of the registry, whose law says how many days a version is good for.
  jurisdiction text,
  good_for_days int not null default 31 check (good_for_days > 0),
  -- Of the newest version that is complete: when it was obtained, and how many numbers it has.
  scrubbed_at timestamptz,
  numbers bigint,
  -- The version that parts were last sent of, and its numbers so far.
  partial_scrubbed_at timestamptz,
  partial_numbers bigint not null default 0,
  removed_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index scrub_lists_by_name on scrub_lists (organization_id, name) where removed_at is null;

create trigger scrub_lists_changed after update on scrub_lists referencing old table as before new table as changed
  for each statement execute function hold_removed_scrub_lists();

-- In the order of the organizations, so that two sweeps do not wait for each other.
create function count_compliance_rows() returns trigger language plpgsql as $$
begin
  insert into compliance_rows_held as h (organization_id, relation, held)
  select organization_id, tg_table_name, tg_argv[0]::integer * count(*) from changed group by 1 order by 1
  on conflict (organization_id, relation) do update set held = h.held + excluded.held;
  return null;
end $$;

-- How many rows each organization has, so that a limit can be checked without counting millions.
create table compliance_rows_held (
  organization_id uuid not null references organizations (id),
  relation text not null,
  held integer not null,
  primary key (organization_id, relation)
);

-- No foreign key, because a list of millions is deleted in batches.
create table scrub_list_numbers (
  organization_id uuid not null,
  phone_number text not null,
  scrub_list_id uuid not null,
  -- Of the newest version that has it.
  scrubbed_at timestamptz not null,
  primary key (organization_id, phone_number, scrub_list_id)
);
create index scrub_list_numbers_of_list on scrub_list_numbers (scrub_list_id, scrubbed_at);

create trigger scrub_numbers_added after insert on scrub_list_numbers referencing new table as changed
  for each statement execute function hold_suppressions();
create trigger scrub_numbers_updated after update on scrub_list_numbers referencing new table as changed
  for each statement execute function hold_suppressions();
create trigger scrub_numbers_counted after insert on scrub_list_numbers referencing new table as changed
  for each statement execute function count_compliance_rows('1');
create trigger scrub_numbers_discounted after delete on scrub_list_numbers referencing old table as changed
  for each statement execute function count_compliance_rows('-1');

-- Numbers that were ported or reassigned: a consent given before counts no longer.
create table number_changes (
  id uuid primary key default new_id(),
  organization_id uuid not null references organizations (id),
  phone_number text not null,
  kind text not null check (kind in ('ported', 'reassigned')),
  changed_at timestamptz not null,
  source text not null,
  created_by uuid,
  created_at timestamptz not null,
  unique (organization_id, phone_number, changed_at, kind)
);
create index number_changes_newest_first on number_changes (organization_id, created_at desc, id desc);
create index number_changes_by_age on number_changes (changed_at);

create trigger number_changes_added after insert on number_changes referencing new table as changed
  for each statement execute function hold_suppressions();
create trigger number_changes_counted after insert on number_changes referencing new table as changed
  for each statement execute function count_compliance_rows('1');
create trigger number_changes_discounted after delete on number_changes referencing old table as changed
  for each statement execute function count_compliance_rows('-1');

-- What calls say first, and whether they are recorded, by where the person may be; '*' is everywhere.
create table disclosures (
  organization_id uuid not null references organizations (id),
  jurisdiction text not null,
  language text not null,
  text text not null,
  updated_at timestamptz not null,
  primary key (organization_id, jurisdiction, language)
);

create table recording_rules (
  organization_id uuid not null references organizations (id),
  jurisdiction text not null,
  mode text not null check (mode in ('off', 'announced', 'on')),
  updated_at timestamptz not null,
  primary key (organization_id, jurisdiction)
);
`;
