import { sql } from 'kysely';
import type { Executor } from '../transaction.ts';

/** Says that a worker is alive, and forgets those that died a day ago. */
export async function saveWorkerHeartbeat(db: Executor, workerId: string): Promise<void> {
  await sql`
    with gone as (delete from workers where seen_at < clock_timestamp() - interval '1 day')
    insert into workers (id) values (${workerId}) on conflict (id) do update set seen_at = clock_timestamp()`.execute(
    db,
  );
}

/** Says that a worker has ended. */
export async function forgetWorker(db: Executor, workerId: string): Promise<void> {
  await sql`delete from workers where id = ${workerId}`.execute(db);
}
