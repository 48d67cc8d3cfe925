import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';

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
