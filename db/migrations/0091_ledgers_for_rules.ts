import { sql, type Kysely } from 'kysely';

/** The rules of a place have caps too, so organizations without caps of their own need the ledger of the last 31 days. Frozen: a change is a new migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    select fill_called_people(o.id) from organizations o
    where o.calling_policy <> 'none' and exists (
      select from person_caps p where p.organization_id = o.id
        and jsonb_strip_nulls(p.caps) = '{}' and p.caps ?& array['calls', 'gap_seconds', 'after_conversation_hours'])`.execute(
    db,
  );
}
