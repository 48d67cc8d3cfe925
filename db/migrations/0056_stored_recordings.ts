import { sql, type Kysely } from 'kysely';

/**
 * Recordings in the installation's own file store, each written down before its file is, so that no file is there that nothing knows of; and how many
 * bytes each organization has of them. Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table stored_recordings (
     call_id uuid primary key,
     organization_id uuid not null references organizations (id),
     bytes bigint not null check (bytes >= 0),
     intended_at timestamptz not null,
     -- The record of the call names it, so erasure and retention find it there.
     is_recorded boolean not null default false
   )`,
  `create index stored_recordings_open on stored_recordings (intended_at) where not is_recorded`,
  `create table recorded_bytes (
     organization_id uuid primary key references organizations (id),
     bytes bigint not null check (bytes >= 0)
   )`,
  `alter table organizations add column max_recorded_gigabytes integer check (max_recorded_gigabytes >= 0)`,
  `insert into stored_recordings (call_id, organization_id, bytes, intended_at, is_recorded)
   select id, organization_id, substring(recording_url from 19)::bigint, created_at, true from calls
   where recording_url ~ '^outdial-recording:[0-9]{1,12}$'`,
  `insert into recorded_bytes (organization_id, bytes)
   select organization_id, sum(bytes) from stored_recordings group by 1`,
];
