import { sql, type RawBuilder } from 'kysely';
import type { Executor } from '../transaction.ts';

/** A longer break is an outage. The sweep runs every two seconds, after failures at least every thirty. Heartbeats survive a shorter break. */
const breakSeconds = 45;
/** By then, each live process has sent a heartbeat: they are sent every 3 seconds, and connecting times out after 10. */
const settledSeconds = 30;

/** Records that the database can be reached. */
export async function noteReached(db: Executor): Promise<void> {
  await sql`
    insert into outage_watch as w (only_row) values (true)
    on conflict (only_row) do update set
      unbroken_since = case
        when abs(extract(epoch from clock_timestamp() - w.reached_at)) < ${breakSeconds} then w.unbroken_since
        else clock_timestamp() end,
      reached_at = clock_timestamp()`.execute(db);
}

/**
 * False during an outage and for half a minute after it, while live processes may not have sent their heartbeats yet. Part of the statement that
 * checks heartbeats, because an outage may begin between two statements.
 */
export const isSettled: RawBuilder<boolean> = sql`exists (
  select from outage_watch w cross join (select clock_timestamp() as now) t
  where abs(extract(epoch from t.now - w.reached_at)) < ${breakSeconds}
    and w.unbroken_since <= t.now - ${settledSeconds} * interval '1 second')`;
