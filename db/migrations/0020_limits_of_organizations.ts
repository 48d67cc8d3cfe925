import { sql, type Kysely } from 'kysely';

/** What the operator of an installation lets an organization do. Null is the installation's default, or no limit. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of [
    `alter table organizations
       add column allowed_countries text[],
       add column allowed_special_numbers text[] not null default '{}',
       add column max_campaigns integer check (max_campaigns >= 0),
       add column max_recipients integer check (max_recipients >= 0),
       add column max_calls_per_day integer check (max_calls_per_day >= 0),
       add column max_spend_per_day numeric(14, 4) check (max_spend_per_day >= 0),
       add column requests_per_minute integer check (requests_per_minute > 0)`,
    // Counted by every process together, and worth nothing after a crash.
    `create unlogged table rate_limits (
       key varchar(255) primary key,
       points integer not null default 0,
       expire bigint
     )`,
  ]) {
    await sql.raw(statement).execute(db);
  }
}
