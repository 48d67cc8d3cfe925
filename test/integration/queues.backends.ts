import { prepareQueueBackend, type QueueBackendConfig } from '@outdial/queues';
import { Redis } from 'ioredis';
import { createTestDatabase } from '../support/database.ts';
import { testRedis } from '../support/queues.ts';
import { uniqueName } from './queues.world.ts';

/** Queues for one test: a key prefix or a database. */
export async function freshBackend(
  kind: QueueBackendConfig['kind'],
): Promise<{ config: QueueBackendConfig; url: string; dispose: () => Promise<void> }> {
  if (kind === 'redis') {
    const { url, prefix: runPrefix } = testRedis();
    const prefix = `${runPrefix}:${uniqueName()}`;
    return { config: { kind, url, prefix }, url, dispose: () => dropKeys(url, prefix) };
  }
  const database = await createTestDatabase({ migrated: false });
  const config = { kind, url: database.databaseUrl, schema: 'own_schema' } as const;
  await prepareQueueBackend(config);
  return { config, url: database.databaseUrl, dispose: () => database.drop() };
}

/** Deletes all keys with this prefix, like a Redis that lost its data. */
export async function dropKeys(url: string, prefix: string): Promise<void> {
  const redis = new Redis(url);
  try {
    const keys = await redis.keys(`{${prefix}:*`);
    if (keys.length > 0) {
      await redis.del(...keys);
    }
  } finally {
    redis.disconnect();
  }
}
