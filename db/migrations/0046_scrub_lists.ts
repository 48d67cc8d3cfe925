import { sql, type Kysely } from 'kysely';

/**
 * Scrub lists: numbers that an authority or a vendor says are not to be called, with the instant of each version. Frozen: a change is a new migration.
 *
 * A number that is added waits for the gates that are open, like a suppression (migration 0015), and so does a list that is removed: once it has been
 * answered, no gate opens that has not read it. Numbers have no foreign key, since a list of millions is deleted in batches.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table scrub_lists (
     id uuid primary key default new_id(),
     organization_id uuid not null references organizations (id),
     name text not null,
     source text not null,
     account text,
     -- Of the newest version that is complete.
     scrubbed_at timestamptz,
     removed_at timestamptz,
     created_at timestamptz not null,
     updated_at timestamptz not null
   )`,
  `create unique index scrub_lists_by_name on scrub_lists (organization_id, name) where removed_at is null`,
  `create table scrub_list_numbers (
     organization_id uuid not null,
     phone_number text not null,
     scrub_list_id uuid not null,
     -- Of the newest version that has it.
     scrubbed_at timestamptz not null,
     primary key (organization_id, phone_number, scrub_list_id)
   )`,
  `create index scrub_list_numbers_of_list on scrub_list_numbers (scrub_list_id, scrubbed_at)`,
  // The function of migration 0015: after the rows are written, so that gates wait for the commit of a list and not for the list.
  `create trigger scrub_numbers_added after insert on scrub_list_numbers referencing new table as changed
     for each statement execute function hold_suppressions()`,
  `create trigger scrub_numbers_updated after update on scrub_list_numbers referencing new table as changed
     for each statement execute function hold_suppressions()`,
  // A newer version forbids nothing by its instant: its numbers did, as they were added.
  `create function hold_removed_scrub_lists() returns trigger language plpgsql as $$
   begin
     perform pg_advisory_xact_lock(3, hashtext(organization_id::text)) from (
       select distinct n.organization_id from changed n join before b on b.id = n.id
       where n.removed_at is distinct from b.removed_at order by 1) held;
     return null;
   end $$`,
  `create trigger scrub_lists_changed after update on scrub_lists referencing old table as before new table as changed
     for each statement execute function hold_removed_scrub_lists()`,
  `alter table campaign_configs add column scrub_lists text[] check (cardinality(scrub_lists) between 1 and 10)`,
  // When each list was scrubbed that the gate of the call went by.
  `alter table calls add column scrub_check jsonb`,
];
