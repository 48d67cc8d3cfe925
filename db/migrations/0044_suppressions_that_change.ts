import { sql, type Kysely } from 'kysely';

/**
 * A change of suppressions waits for open gates only where it changes until when a number is held. What the engine notes beside it
 * (`ends_waiting_at`) concerns no gate: it took the lock after rows of recipients, in the reverse order of a gate.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create function hold_changed_suppressions() returns trigger language plpgsql as $$
   begin
     perform pg_advisory_xact_lock(3, hashtext(organization_id::text)) from (
       select distinct n.organization_id
       from changed n join before b on b.organization_id = n.organization_id and b.phone_number = n.phone_number
       where n.expires_at is distinct from b.expires_at
       order by n.organization_id) held;
     return null;
   end $$`,
  `drop trigger suppressions_updated on suppressions`,
  `create trigger suppressions_updated after update on suppressions
     referencing old table as before new table as changed
     for each statement execute function hold_changed_suppressions()`,
];
