import { sql } from 'kysely';
import { waitFor } from '../../support/stack/wait-for.ts';
import type { ScenarioWorld } from './world.ts';

/** Ends the sessions of two workers, which then report their deadlocks, and counts those of the database. Transactions repeat after one, so nobody else sees them. */
export async function countDeadlocks(
  world: ScenarioWorld,
  workers: readonly [string, string],
): Promise<number> {
  await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = any(${workers})`.execute(world.db);
  const { deadlocks } = await waitFor('the sessions to have ended', async () => {
    const { rows } = await sql<{ sessions: number; deadlocks: number }>`
      select (select count(*)::int from pg_stat_activity
              where datname = current_database() and application_name = any(${workers})) as sessions,
        deadlocks::int from pg_stat_database where datname = current_database()`.execute(world.db);
    const [row] = rows;
    return row?.sessions === 0 && { deadlocks: row.deadlocks };
  });
  return deadlocks;
}
