import { sql, type Kysely } from 'kysely';

/** Queries of reassigned numbers that an organization needs for all of its calls. Frozen: a change is a new migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table organizations add column reassigned_query_days integer check (reassigned_query_days between 1 and 3650)`.execute(
    db,
  );
}
