import { sql, type Kysely } from 'kysely';

/**
 * Voice processes that are alive, and the calls that they carry or are about to carry. Neither holds anything of a person; rows of processes
 * that died are forgotten after a while. Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table voice_processes (
      id uuid primary key,
      url text not null check (length(url) <= 2000),
      capacity int not null check (capacity > 0),
      active_calls int not null default 0,
      draining boolean not null default false,
      endpoints_down text[] not null default '{}',
      started_at timestamptz not null default clock_timestamp(),
      seen_at timestamptz not null default clock_timestamp()
    )`.execute(db);
  await sql`
    create table voice_calls (
      call_id uuid primary key,
      process_id uuid not null references voice_processes (id) on delete cascade,
      expires_at timestamptz not null
    )`.execute(db);
  await sql`create index voice_calls_of_process on voice_calls (process_id)`.execute(db);
}
