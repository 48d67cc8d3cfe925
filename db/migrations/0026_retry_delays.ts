import { sql, type Kysely } from 'kysely';

/** A delay for each call-back, as a list or as lists by outcome. Null: `retry_delay_seconds` before every one. Frozen: a change is a new migration. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table campaign_configs add column retry_delays_seconds jsonb
    check (jsonb_typeof(retry_delays_seconds) in ('array', 'object'))`.execute(db);
}
