import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { lockDataDirectory, startEmbeddedPostgres } from '@outdial/local';
import { openRedis } from '../redis/open-redis.ts';
import { makeDataFolder } from './data-folder.ts';
import { noteLeftOut } from './left-out.ts';
import { layOutPreparedCluster } from './prepared-cluster.ts';
import type { TestServices } from './services.ts';
import { makeTemplate, templateDatabase } from './template-database.ts';

export interface StartedServices {
  services: TestServices;
  stop: () => Promise<void>;
}

/** Starts a Postgres for this run and opens a Redis. Started servers always end with this process. */
export async function startServices(): Promise<StartedServices> {
  const folder = makeDataFolder();
  const stops: Array<() => Promise<void> | void> = [() => rmSync(folder, { recursive: true, force: true })];
  const stop = async () => {
    for (const each of stops.splice(0).toReversed()) await each();
  };
  try {
    const starting = [
      startPostgres(join(folder, 'postgres'), stops),
      startRedis(join(folder, 'redis'), stops),
    ] as const;
    // Waits for both before it throws, so that no server starts after the stop.
    await Promise.allSettled(starting);
    const [postgres, redis] = await Promise.all(starting);
    return { services: { postgres, redis }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** `TEST_POSTGRES_URL` (the superuser's database of a server for tests only), or an embedded server for this run. */
async function startPostgres(
  dataDir: string,
  stops: Array<() => Promise<void> | void>,
): Promise<TestServices['postgres']> {
  const adminUrl = process.env['TEST_POSTGRES_URL'];
  if (adminUrl !== undefined) {
    await makeTemplate(adminUrl);
    return { adminUrl, templateDatabase };
  }
  await layOutPreparedCluster(dataDir);
  const directory = lockDataDirectory(dataDir);
  const server = await startEmbeddedPostgres({ directory, durability: 'none' });
  stops.push(() => server.stop());
  return { adminUrl: server.databaseUrl, templateDatabase };
}

async function startRedis(
  folder: string,
  stops: Array<() => Promise<void> | void>,
): Promise<TestServices['redis']> {
  const redis = await openRedis(folder);
  if (redis.state === 'missing') {
    if (process.env['OUTDIAL_REQUIRE_REDIS'] === '1') {
      throw new Error(`OUTDIAL_REQUIRE_REDIS is set, and there is no Redis: ${redis.reason}`);
    }
    noteLeftOut(
      'every test on Redis',
      redis.reason,
      'with REDIS_URL=redis://…, or with a redis-server on the PATH',
    );
    return null;
  }
  stops.push(redis.close);
  return { url: redis.url, prefix: redis.prefix };
}
