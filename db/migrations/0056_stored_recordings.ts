import { sql, type Kysely } from 'kysely';

/**
 * Recordings in the installation's own file store, each written down before its file is, so that no file is there that nothing knows of; and how many
 * bytes each organization has of them. Those that are stored already are counted by 0058, without a lock. Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table stored_recordings (
     call_id uuid primary key,
     organization_id uuid not null references organizations (id),
     bytes bigint not null check (bytes >= 0),
     -- When a sweep looks whether the record of the call names it.
     check_at timestamptz not null,
     -- The record of the call names it, so erasure and retention find it there.
     is_recorded boolean not null default false
   )`,
  `create index stored_recordings_open on stored_recordings (check_at) where not is_recorded`,
  `create table recorded_bytes (
     organization_id uuid primary key references organizations (id),
     bytes bigint not null check (bytes >= 0)
   )`,
  `alter table organizations add column max_recorded_gigabytes integer check (max_recorded_gigabytes >= 0)`,
];
