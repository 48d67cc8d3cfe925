import { sql, type Kysely } from 'kysely';

/**
 * Numbers that no organization of the installation dials, and recipients that wait for a suppressed number. Frozen: a change is a new migration.
 *
 * The list of the installation is changed rarely, under the lock of the paces of providers, which every gate holds in share mode (migration 0015).
 * `ends_waiting_at`: when recipients that wait for the number are looked for; null once none is left. What is on the list already is left to the gates.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table suppressions add column ends_waiting_at timestamptz`,
  `alter table suppressions alter column ends_waiting_at set default '-infinity'`,
  `create table installation_suppressions (
     phone_number text primary key,
     reason text,
     created_at timestamptz not null,
     ends_waiting_at timestamptz default '-infinity'
   )`,
  `create index installation_suppressions_to_end on installation_suppressions (ends_waiting_at)
     where ends_waiting_at is not null`,
  // After the rows are written, so that gates wait for the commit of a list and not for the list.
  `create trigger installation_suppressions_added after insert on installation_suppressions
     for each statement execute function hold_provider_paces()`,
];
