import { type RawBuilder, sql } from 'kysely';
import type { Executor } from '../transaction.ts';

/** Says that a worker is alive, and forgets those that died a day ago. */
export async function saveWorkerHeartbeat(db: Executor, workerId: string): Promise<void> {
  await sql`
    with gone as (delete from workers where seen_at < clock_timestamp() - interval '1 day')
    insert into workers (id) values (${workerId}) on conflict (id) do update set seen_at = clock_timestamp()`.execute(
    db,
  );
}

export async function forgetWorker(db: Executor, workerId: string): Promise<void> {
  await sql`delete from workers where id = ${workerId}`.execute(db);
}

export interface LiveWorker {
  id: string;
  /** Since it started. */
  ageSeconds: number;
}

/** Workers that were heard of within the last half minute, a thousand at most, oldest first. */
export async function listLiveWorkers(db: Executor): Promise<LiveWorker[]> {
  const { rows } = await sql<LiveWorker>`
    select id, extract(epoch from clock_timestamp() - started_at)::int as "ageSeconds"
    from workers
    where seen_at > clock_timestamp() - interval '30 seconds'
    order by started_at
    limit 1000`.execute(db);
  return rows;
}

/** A longer break is an outage. The sweep runs every two seconds, after failures at least every thirty. Heartbeats survive a shorter break. */
const breakSeconds = 45;
/** By then, each live process has sent a heartbeat: they are sent every 3 seconds, and connecting times out after 10. */
const settledSeconds = 30;

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
