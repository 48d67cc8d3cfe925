import { sql, type Kysely } from 'kysely';

/**
 * What fails again and again is tried again later and later, and is known: the jobs of a campaign, single recipients, and campaigns
 * that cannot dial for minutes. Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  // Jobs of the campaign that failed in a row. `blocked_since` is kept by a sweep, whatever the cause.
  `alter table campaign_runtime
     add column failures integer not null default 0,
     add column last_error text,
     add column retry_at timestamptz,
     add column blocked_since timestamptz,
     add column blocked_for text,
     add column blocked_told_at timestamptz`,
  // Claims that came to nothing, one after the other: written where one fails, and never read by a dial that goes well.
  `create table failing_recipients (
     recipient_id uuid primary key,
     organization_id uuid not null,
     campaign_id uuid not null references campaigns (id) on delete cascade,
     -- The recipient's at that time: once it has more, the run of failures is over.
     attempts integer not null,
     failures integer not null,
     last_error text not null,
     failing_since timestamptz not null,
     last_failed_at timestamptz not null
   )`,
  `create index failing_recipients_by_campaign on failing_recipients (campaign_id)`,
  `create index failing_recipients_oldest on failing_recipients (last_failed_at)`,
];
