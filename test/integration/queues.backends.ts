import { prepareQueueBackend, type QueueBackendConfig } from '@outdial/queues';
import { Redis } from 'ioredis';
import pg from 'pg';
import { type BackendName, uniqueName } from './queues.world.ts';

const redisUrl = process.env['TEST_REDIS_URL'];
const databaseUrl = process.env['TEST_DATABASE_URL'];

/** The backends that this run has. */
export const backends: readonly BackendName[] = [
  ...(redisUrl === undefined ? [] : (['redis'] as const)),
  ...(databaseUrl === undefined ? [] : (['postgres'] as const)),
];

/** Queues of the test's own: a key prefix, or a schema. */
export async function freshBackend(
  kind: BackendName,
): Promise<{ config: QueueBackendConfig; url: string; dispose: () => Promise<void> }> {
  const name = uniqueName();
  const url = kind === 'redis' ? redisUrl : databaseUrl;
  if (url === undefined) {
    throw new Error(`this run has no ${kind}`);
  }
  const config: QueueBackendConfig =
    kind === 'redis' ? { kind, url, prefix: name } : { kind, url, schema: name };
  await prepareQueueBackend(config);
  return { config, url, dispose: () => (kind === 'redis' ? dropKeys(url, name) : dropSchema(url, name)) };
}

/** Takes away everything that the queues with this prefix hold, as a Redis that lost its data would. */
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

async function dropSchema(url: string, schema: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`DROP SCHEMA "${schema}" CASCADE`);
  } finally {
    await client.end();
  }
}
