import { sql, type Kysely } from 'kysely';

/**
 * Postgres looked up the maker of each call, and locked that row, which all calls of a campaign share. The maker of a campaign's call is that of its
 * campaign, which refers to users; that of a direct call is the user who was just authenticated; and users are never deleted. Frozen: a change is a new
 * migration.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table calls drop constraint calls_organization_id_created_by_fkey`.execute(db);
}
