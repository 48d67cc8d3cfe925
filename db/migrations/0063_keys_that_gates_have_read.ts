import { sql, type Kysely } from 'kysely';

/**
 * Each dial wrote rows whose foreign keys Postgres looked up again, and locked the row of the organization or of the caller id for it, which all dials
 * share: twice for the ledger of a person, which a gate makes and updates in one transaction, and once for a permit. The statements that write these rows
 * have read both rows before. Organizations are never deleted, and a caller id is removed with its permits. Frozen: a change is a new migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table called_people drop constraint called_people_organization_id_fkey`.execute(db);
  await sql`alter table caller_id_uses drop constraint caller_id_uses_organization_id_caller_id_fkey`.execute(
    db,
  );
}
