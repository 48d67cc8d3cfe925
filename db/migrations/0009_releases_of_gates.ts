import { sql, type Kysely } from 'kysely';

/** What a receipt refers to and cannot recompute later: one row a version. Frozen: a change is a new migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(schema).execute(db);
}

const schema = `
-- The conditions of a release, and the data by which it finds where a person is.
create table gate_releases (
  id uuid primary key,
  content jsonb not null check (jsonb_typeof(content) = 'object'),
  created_at timestamptz not null
);
create trigger releases_stay before update or delete on gate_releases
  for each row execute function refuse_change_of_ledger();

alter table gate_grounds add column release_id uuid references gate_releases (id);

-- Since when a caller id has had its attestation. Written while no gate of the organization is open, so it is known for the instant of each gate.
create table caller_id_attestations (
  caller_id uuid not null,
  since timestamptz not null,
  attestation text,
  primary key (caller_id, since)
);
create function keep_attestation() returns trigger language plpgsql as $$
begin
  insert into caller_id_attestations (caller_id, since, attestation)
  select n.id, engine_now(), n.attestation from changed n
  where n.attestation is distinct from (
    select a.attestation from caller_id_attestations a where a.caller_id = n.id order by a.since desc limit 1)
  order by n.id on conflict (caller_id, since) do update set attestation = excluded.attestation;
  return null;
end $$;
create trigger caller_ids_known_since after insert on caller_ids referencing new table as changed
  for each statement execute function keep_attestation();
-- By its name after caller_ids_changed, which waits for open gates.
create trigger caller_ids_known_with after update on caller_ids referencing new table as changed
  for each statement execute function keep_attestation();
insert into caller_id_attestations (caller_id, since, attestation)
  select id, created_at, attestation from caller_ids where attestation is not null;

-- Complete versions of scrub lists, also of removed ones.
create table scrub_list_versions (
  organization_id uuid not null references organizations (id),
  name text not null,
  scrubbed_at timestamptz not null,
  completed_at timestamptz not null,
  source text not null,
  account text,
  jurisdiction text,
  numbers bigint not null,
  content_hash bytea not null,
  primary key (organization_id, name, scrubbed_at, completed_at)
);
create trigger versions_stay before update or delete on scrub_list_versions
  for each row execute function refuse_change_of_ledger();
alter table scrub_lists add column partial_hash bytea;
`;
