import { sql, type Kysely } from 'kysely';

/**
 * Once a suppression or a change of pace has been answered, no gate opens that it forbids. Frozen: a change is a new migration.
 *
 * Gates hold the paces of providers (advisory lock 1, 1) and the suppression list of their organization (3, its hash) in share mode
 * until they commit. A change takes the same lock alone before it commits, by trigger, so that no path can forget it: gates that
 * were open have committed by then, and those that come after it wait, and read what it has left.
 *
 * `slots_from`: slots of time before it were handed out under an earlier pace, and no gate opens for them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table providers add column slots_from timestamptz`,
  `alter table campaign_runtime add column slots_from timestamptz`,

  // Before the row is locked: a gate that is open may want the row.
  `create function hold_provider_paces() returns trigger language plpgsql as $$
   begin
     perform pg_advisory_xact_lock(1, 1);
     return null;
   end $$`,
  `create trigger providers_hold_paces before update of calls_per_second on providers
     for each statement execute function hold_provider_paces()`,

  // After the rows are written: gates wait for the commit of a list and not for the list.
  `create function hold_suppressions() returns trigger language plpgsql as $$
   begin
     perform pg_advisory_xact_lock(3, hashtext(organization_id::text))
       from (select distinct organization_id from changed order by organization_id) one;
     return null;
   end $$`,
  `create trigger suppressions_added after insert on suppressions referencing new table as changed
     for each statement execute function hold_suppressions()`,
  `create trigger suppressions_updated after update on suppressions referencing new table as changed
     for each statement execute function hold_suppressions()`,
];
