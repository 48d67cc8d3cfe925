import { sql, type Kysely } from 'kysely';

/**
 * Workers say that they are alive, so that a campaign which is due and not dialed can name the cause. By the database's own clock and not the
 * engine's: no test that sets the engine's clock makes a worker look dead. Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table workers (
     id uuid primary key,
     started_at timestamptz not null default clock_timestamp(),
     seen_at timestamptz not null default clock_timestamp()
   ) with (fillfactor = 50)`,
  // Who holds an organization's lines: its running campaigns.
  `create index campaigns_running on campaigns (organization_id) where status = 'running'`,
];
