import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';

/**
 * Until autovacuum analyzes the table, the planner assumes that a new campaign has few rows, and may scan all of them instead of looking up a
 * key.
 */
export async function refreshRecipientStatistics(db: Executor): Promise<void> {
  await sql`analyze campaign_recipients`.execute(db);
}
