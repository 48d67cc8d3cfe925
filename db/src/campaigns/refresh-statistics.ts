import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';

/**
 * Has Postgres analyze the recipients. Until autovacuum comes by, its planner takes a campaign that was just written for a
 * handful of rows, and may read all of it where a look-up by key was meant.
 */
export async function refreshRecipientStatistics(db: Executor): Promise<void> {
  await sql`analyze campaign_recipients`.execute(db);
}
