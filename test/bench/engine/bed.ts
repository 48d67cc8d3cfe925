import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lockDataDirectory, startEmbeddedPostgres } from '@outdial/local';
import { Redis } from 'ioredis';
import { openRedis } from '../../support/redis/open-redis.ts';
import { createDatabase, openWorld, type World } from './world.ts';

export type Backend = 'redis' | 'postgres';

/** The servers of a measurement: a real Postgres that flushes its commits unless told otherwise, and a real Redis. */
export interface Bed {
  /** Creates a migrated database with one agent that can call. */
  world(backend: Backend): Promise<World>;
  /** Measures in such a world, and closes it. */
  inWorld<T>(backend: Backend, measure: (world: World) => Promise<T>): Promise<T>;
  /** Creates an empty database, for programs that bring their own tables. */
  emptyDatabase(): Promise<string>;
  /** The processes of the servers. Redis is absent if it was not started here. */
  servers: { postgres: number; redis: number | null };
  /** What Postgres has logged so far. */
  postgresLog(): string;
  close(): Promise<void>;
}

export async function openBed({ durability = 'full' }: { durability?: 'full' | 'none' } = {}): Promise<Bed> {
  const folder = mkdtempSync(join(tmpdir(), 'outdial-bench-'));
  const directory = lockDataDirectory(join(folder, 'data'));
  const postgres = await startEmbeddedPostgres({ directory, durability });
  const redis = await openRedis(join(folder, 'redis'));
  let worlds = 0;
  const bed: Bed = {
    servers: {
      postgres: postgres.serverPid,
      redis: redis.state === 'open' && !process.env['REDIS_URL'] ? await redisProcess(redis.url) : null,
    },
    postgresLog: () => readFileSync(postgres.logPath, 'utf8'),
    async world(backend) {
      worlds += 1;
      const databaseUrl = await createDatabase(postgres.databaseUrl, `bench_${worlds}`);
      if (backend === 'postgres') return openWorld(databaseUrl, { kind: 'postgres', url: databaseUrl });
      if (redis.state === 'missing') throw new Error(`no Redis: ${redis.reason}`);
      return openWorld(databaseUrl, { kind: 'redis', url: redis.url, prefix: `bench${worlds}` });
    },
    async inWorld(backend, measure) {
      const world = await bed.world(backend);
      try {
        return await measure(world);
      } finally {
        await world.close();
      }
    },
    async emptyDatabase() {
      worlds += 1;
      return createDatabase(postgres.databaseUrl, `bench_${worlds}`, { migrated: false });
    },
    async close() {
      if (redis.state === 'open') await redis.close();
      await postgres.stop();
      directory.release();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return bed;
}

async function redisProcess(url: string): Promise<number> {
  const redis = new Redis(url);
  try {
    return Number(/process_id:(\d+)/.exec(await redis.info('server'))?.[1]);
  } finally {
    redis.disconnect();
  }
}
