import { sql, type Kysely } from 'kysely';

/**
 * Numbers that were ported or reassigned: a consent given before counts no more. Frozen: a change is a new migration.
 *
 * A change that is added waits for the gates that are open, like a revocation (migration 0031).
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create table number_changes (
     id uuid primary key default new_id(),
     organization_id uuid not null references organizations (id),
     phone_number text not null,
     kind text not null check (kind in ('ported', 'reassigned')),
     changed_at timestamptz not null,
     source text not null,
     created_by uuid,
     created_at timestamptz not null,
     unique (organization_id, phone_number, changed_at, kind)
   )`,
  `create index number_changes_newest_first on number_changes (organization_id, created_at desc, id desc)`,
  `create index number_changes_by_age on number_changes (changed_at)`,
  // The function of migration 0015: after the rows are written, so that gates wait for the commit of a list and not for the list.
  `create trigger number_changes_added after insert on number_changes referencing new table as changed
     for each statement execute function hold_suppressions()`,
];
