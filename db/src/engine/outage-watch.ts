import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';

/** A longer break counts as an outage. Sweeps look every two seconds; a shorter break leaves a heartbeat fresh enough to be judged. */
const breakSeconds = 30;
/** By then, each process that lives has written again: it sends a heartbeat every 3 seconds, and gives up a connection that does not open after 10. */
const settledSeconds = 30;

/**
 * Notes that the database is reached now. False if it was not for a while and has been back for less than half a minute: then a process that wrote
 * nothing may live and not have been heard yet. Ask before a judgement that rests on silence.
 */
export async function mayJudgeSilence(db: Executor): Promise<boolean> {
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
  return rows[0]?.is_settled ?? false;
}
