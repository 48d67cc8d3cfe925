import { sql, type Kysely } from 'kysely';

/**
 * The recipients of a campaign by state and last outcome, newest first. Three partial indexes instead of one: a recipient is added to
 * each at most once for a call, and not at every step of it. Large tables stay writable meanwhile, which no transaction allows.
 */
export const transaction = false;
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create index concurrently if not exists campaign_recipients_open
     on campaign_recipients (campaign_id, (coalesce(last_outcome, '')), id) where state in ('pending', 'claimed')`,
  `create index concurrently if not exists campaign_recipients_done
     on campaign_recipients (campaign_id, (coalesce(last_outcome, '')), id) where state = 'done'`,
  `create index concurrently if not exists campaign_recipients_never_dialed
     on campaign_recipients (campaign_id, state, (coalesce(last_outcome, '')), id) where state in ('suppressed', 'withdrawn')`,
];
