import { sql, type RawBuilder } from 'kysely';
import type { Executor } from '../transaction.ts';

/** A longer break counts as an outage. Sweeps look every two seconds, and at least every thirty after failures; a shorter break leaves heartbeats fresh. */
const breakSeconds = 45;
/** By then, each process that lives has written again: it sends a heartbeat every 3 seconds, and gives up a connection that does not open after 10. */
const settledSeconds = 30;

/** Notes that the database is reached now. */
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
 * False in an outage, and for half a minute after it: a live process may not have sent its heartbeat yet. Part of the statement that judges heartbeats, since
 * an outage may come between two statements, or in the commit of the note.
 */
export const isSettled: RawBuilder<boolean> = sql`exists (
  select from outage_watch w cross join (select clock_timestamp() as now) t
  where abs(extract(epoch from t.now - w.reached_at)) < ${breakSeconds}
    and w.unbroken_since <= t.now - ${settledSeconds} * interval '1 second')`;
