import { setTimeout as sleep } from 'node:timers/promises';
import { poolUse, readConnectionLimits, type Db } from '@outdial/db';
import type { QueueBackendConfig } from '@outdial/queues';
import type { Logger } from '@outdial/runtime';

/** What to raise, by whose limit it is. */
const remedies = {
  server: 'max_connections of Postgres',
  role: 'the connection limit of the role (alter role … connection limit)',
  database: 'the connection limit of the database (alter database … connection limit)',
} as const;

interface Needs {
  log: Pick<Logger, 'warn'>;
  poolMax: number;
  queue: QueueBackendConfig;
}

/** Of a consumer of queues, without a setting. */
const queuePoolMax = 4;
const retryMs = 5_000;

/** Warns if this process may need more connections than Postgres has left, which would otherwise fail only under load. */
export async function warnOfConnections(db: Db, { log, poolMax, queue }: Needs): Promise<void> {
  // One more listens for jobs.
  const ofQueues = queue.kind === 'postgres' ? (queue.poolMax ?? queuePoolMax) + 1 : 0;
  const wanted = poolMax + ofQueues;
  const limits = await readConnectionLimits(db);
  // Afterwards, since the question itself may have opened a connection.
  const ours = poolUse(db)?.open ?? 0;
  for (const { of, limit, open } of limits) {
    const others = Math.max(0, open - ours);
    if (others + wanted <= limit) continue;
    log.warn(
      { limit_of: of, limit, open_by_others: others, wanted },
      `this process may open ${wanted} connections to Postgres beside ${others} others, and the ${of} allows ${limit}: raise ${remedies[of]}, or lower DATABASE_POOL_MAX, WORKER_CONCURRENCY or QUEUE_POOL_MAX`,
    );
  }
}

/** Does so once the database answers. Readiness says why it does not. */
export async function warnOnceReachable(db: Db, needs: Needs, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      return await warnOfConnections(db, needs);
    } catch {
      await sleep(retryMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }
}
