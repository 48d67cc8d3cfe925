import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';

/** A longer break counts as an outage. Sweeps look every two seconds; a shorter break leaves a heartbeat fresh enough to be judged. */
const breakSeconds = 30;
/** By then, each process that lives has written again: it sends a heartbeat every 3 seconds, and gives up a connection that does not open after 10. */
const settledSeconds = 30;

/**
 * Notes that the database is reached now. `isSettled` is false for half a minute after an outage: a live process may not have sent its heartbeat yet.
 */
export async function noteReached(db: Executor): Promise<{ isSettled: boolean }> {
  const { rows } = await sql<{ is_settled: boolean }>`
    insert into outage_watch as w (only_row) values (true)
    on conflict (only_row) do update set
      unbroken_since = case
        when abs(extract(epoch from clock_timestamp() - w.reached_at)) < ${breakSeconds} then w.unbroken_since
        else clock_timestamp() end,
      reached_at = clock_timestamp()
    returning unbroken_since <= clock_timestamp() - ${settledSeconds} * interval '1 second' as is_settled`.execute(
    db,
  );
  return { isSettled: rows[0]?.is_settled ?? false };
}
