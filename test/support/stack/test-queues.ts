import { randomBytes } from 'node:crypto';
import { openQueues, prepareQueueBackend, type QueueBackendConfig, type QueueLog } from '@outdial/queues';
import { Redis } from 'ioredis';
import { testRedis } from '../queues.ts';
import type { QueueBackendName } from '../services/services.ts';

/** The queues of one test: a key prefix in the run's Redis, or tables in the test's database. */
export interface TestQueues {
  config: QueueBackendConfig;
  /** Deletes all jobs, like a Redis that lost its data. Running jobs continue. */
  empty(): Promise<void>;
  dispose(): Promise<void>;
}

export async function openTestQueues(
  backend: QueueBackendName,
  { databaseUrl, redisUrl, log }: { databaseUrl: string; redisUrl?: string | undefined; log: QueueLog },
): Promise<TestQueues> {
  if (redisUrl !== undefined) {
    const empty = () => removeKeys(redisUrl, '*');
    // Its server ends with the test.
    return { config: { kind: 'redis', url: redisUrl }, empty, dispose: () => Promise.resolve() };
  }
  if (backend === 'redis') {
    const { url, prefix: ofRun } = testRedis();
    const prefix = `${ofRun}:${randomBytes(6).toString('hex')}`;
    const empty = () => removeKeys(url, `{${prefix}:*`);
    return { config: { kind: 'redis', url, prefix }, empty, dispose: empty };
  }
  const config = { kind: 'postgres', url: databaseUrl } as const;
  await prepareQueueBackend(config);
  return {
    config,
    async empty() {
      const opened = openQueues(config, { log });
      try {
        for (const queue of opened.queues) await queue.obliterate({ force: true });
      } finally {
        await opened.close();
      }
    },
    // Its tables are dropped with the database.
    dispose: () => Promise.resolve(),
  };
}

async function removeKeys(url: string, pattern: string): Promise<void> {
  const redis = new Redis(url);
  try {
    const keys = await redis.keys(pattern);
    if (keys.length > 0) await redis.del(...keys);
  } finally {
    redis.disconnect();
  }
}
