import { sql, type Kysely } from 'kysely';

/** What people asked, how and when. Frozen: a change is a new migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(schema).execute(db);
}

const schema = `
-- Requests for no more calls. They stay when the number leaves the suppression list, which says only whom nobody calls now.
create table revocations (
  id uuid primary key default new_id(),
  organization_id uuid not null references organizations (id),
  phone_number text not null,
  channel text not null,
  words text,
  call_id uuid,
  created_by uuid,
  received_at timestamptz not null,
  created_at timestamptz not null
);
create index revocations_of_person on revocations (organization_id, phone_number, received_at desc);
-- A report of a call may come twice.
create unique index revocations_on_calls on revocations (call_id, channel, received_at, phone_number) where call_id is not null;
create trigger revocations_of_people_stay before update on revocations
  for each row execute function refuse_change_of_ledger();
`;
