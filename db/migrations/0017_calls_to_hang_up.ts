import { sql, type Kysely } from 'kysely';

/** Calls in progress that somebody wants ended. Almost always none. */
export const transaction = false;
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create index concurrently if not exists calls_to_hang_up on calls (hangup_requested_at)
    where hangup_requested_at is not null and phase in ('placing', 'ringing', 'answered')`.execute(db);
}
