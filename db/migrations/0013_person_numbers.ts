import { sql, type Kysely } from 'kysely';

/** Which numbers belong to one person. Frozen: a change is a new migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(schema).execute(db);
}

const schema = `
create table person_numbers (
  organization_id uuid not null references organizations (id),
  phone_number text not null,
  -- The caller's own name of the person.
  person_ref text not null,
  created_at timestamptz not null,
  primary key (organization_id, phone_number)
);
create index person_numbers_of_person on person_numbers (organization_id, person_ref);

-- As for suppressions: of a request and a new number of the same person, the one that commits later sees the other.
create trigger person_numbers_added after insert on person_numbers referencing new table as changed
  for each statement execute function hold_suppressions();
create trigger person_numbers_changed after update on person_numbers referencing new table as changed
  for each statement execute function hold_suppressions();
create trigger person_numbers_counted after insert on person_numbers referencing new table as changed
  for each statement execute function count_compliance_rows('1');
create trigger person_numbers_discounted after delete on person_numbers referencing old table as changed
  for each statement execute function count_compliance_rows('-1');
`;
