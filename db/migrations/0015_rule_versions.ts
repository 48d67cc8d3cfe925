import { sql, type Kysely } from 'kysely';

/** The operator's rules of law, by version: the newest is in force at every gate. Rows are added and never changed. Frozen: a change is a new migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(schema).execute(db);
}

const schema = `
create table rule_versions (
  id integer primary key generated always as identity,
  -- Receipts name it, so it stands for one document.
  name text not null unique,
  document jsonb not null,
  imported_at timestamptz not null
);
create trigger rule_versions_append_only before update or delete on rule_versions
  for each row execute function refuse_change_of_ledger();
`;
