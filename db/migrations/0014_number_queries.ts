import { sql, type Kysely } from 'kysely';

/** What registries of reassigned numbers answered. Frozen: a change is a new migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(schema).execute(db);
}

const schema = `
create table number_queries (
  id uuid primary key default new_id(),
  organization_id uuid not null references organizations (id),
  phone_number text not null,
  queried_at timestamptz not null,
  -- Whether the number was given up since the instant that was asked for.
  answer text not null check (answer in ('no', 'yes', 'no_data')),
  since timestamptz,
  source text not null,
  created_by uuid,
  created_at timestamptz not null,
  unique (organization_id, phone_number, queried_at, source)
);
create index number_queries_newest_first on number_queries (organization_id, created_at desc, id desc);
create index number_queries_by_age on number_queries (queried_at);
-- Within how many days a query must have said that a number was not given up.
alter table campaign_configs add column reassigned_query_days integer check (reassigned_query_days between 1 and 3650);
create trigger queries_stay before update on number_queries
  for each row execute function refuse_change_of_ledger();
create trigger number_queries_counted after insert on number_queries referencing new table as changed
  for each statement execute function count_compliance_rows('1');
create trigger number_queries_discounted after delete on number_queries referencing old table as changed
  for each statement execute function count_compliance_rows('-1');
`;
