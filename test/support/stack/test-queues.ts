import { randomBytes } from 'node:crypto';
import { prepareQueueBackend, type QueueBackendConfig } from '@outdial/queues';
import { Redis } from 'ioredis';
import { testRedis } from '../queues.ts';
import type { QueueBackendName } from '../services/services.ts';

/** The queues of one test: a key prefix in the run's Redis, or tables in the test's database. */
export interface TestQueues {
  config: QueueBackendConfig;
  dispose(): Promise<void>;
}

export async function openTestQueues(
  backend: QueueBackendName,
  { databaseUrl, redisUrl }: { databaseUrl: string; redisUrl?: string | undefined },
): Promise<TestQueues> {
  // A server of its own ends with the test.
  if (redisUrl !== undefined) {
    return { config: { kind: 'redis', url: redisUrl }, dispose: () => Promise.resolve() };
  }
  if (backend === 'redis') {
    const { url, prefix: ofRun } = testRedis();
    const prefix = `${ofRun}:${randomBytes(6).toString('hex')}`;
    return { config: { kind: 'redis', url, prefix }, dispose: () => removeKeys(url, `{${prefix}:*`) };
  }
  const config = { kind: 'postgres', url: databaseUrl } as const;
  await prepareQueueBackend(config);
  // Its tables are dropped with the database.
  return { config, dispose: () => Promise.resolve() };
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
