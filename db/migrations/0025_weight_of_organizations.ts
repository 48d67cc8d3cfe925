import { sql, type Kysely } from 'kysely';

/** Organizations share the lines of a provider by weight. Frozen: a change is a new migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table organizations add column line_weight integer not null default 1
    check (line_weight between 1 and 1000)`.execute(db);
}
