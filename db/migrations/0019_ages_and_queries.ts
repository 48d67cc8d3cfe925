import { sql, type Kysely } from 'kysely';

/** How old the importer of a scrub list lets it become, and queries of one instant that differ. Frozen: a change is a new migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(schema).execute(db);
}

const schema = `
-- Null for as many days as the law allows, which may change.
alter table scrub_lists add column asked_days integer check (asked_days > 0);
update scrub_lists set asked_days = good_for_days where good_for_days < 31;

-- A registry may be asked twice at one instant, since when a number was given up: each answer counts.
alter table number_queries
  drop constraint number_queries_organization_id_phone_number_queried_at_sour_key,
  add constraint number_queries_once unique nulls not distinct (organization_id, phone_number, queried_at, source, answer, since);
create trigger number_queries_added after insert on number_queries referencing new table as changed
  for each statement execute function hold_suppressions();
`;
