import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrateToLatest } from '@outdial/db';
import { lockDataDirectory, startEmbeddedPostgres } from '@outdial/local';
import pg from 'pg';
import { openRedis } from '../redis/open-redis.ts';
import { noteLeftOut } from './left-out.ts';
import type { TestServices } from './services.ts';

export interface StartedServices {
  services: TestServices;
  stop: () => Promise<void>;
}

/** Starts a Postgres of this run's own and opens a Redis. What was started ends with this process in any case. */
export async function startServices(): Promise<StartedServices> {
  const folder = mkdtempSync(join(tmpdir(), 'outdial-test-'));
  const stops: Array<() => Promise<void> | void> = [() => rmSync(folder, { recursive: true, force: true })];
  const stop = async () => {
    for (const each of stops.splice(0).toReversed()) await each();
  };
  try {
    const starting = [
      startPostgres(join(folder, 'postgres'), stops),
      startRedis(join(folder, 'redis'), stops),
    ] as const;
    // Both have come to an end before either's failure is passed on: nothing starts after the stop.
    await Promise.allSettled(starting);
    const [postgres, redis] = await Promise.all(starting);
    return { services: { postgres, redis }, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startPostgres(
  dataDir: string,
  stops: Array<() => Promise<void> | void>,
): Promise<TestServices['postgres']> {
  const server = await openServer(dataDir, stops);

  const templateDatabase = 'outdial_template';
  const client = new pg.Client({ connectionString: server.databaseUrl });
  await client.connect();
  await client.query(`create database ${templateDatabase}`);
  await client.end();
  const templateUrl = new URL(server.databaseUrl);
  templateUrl.pathname = `/${templateDatabase}`;
  await migrateToLatest({ databaseUrl: templateUrl.href });
  return { adminUrl: server.databaseUrl, templateDatabase };
}

/** `TEST_POSTGRES_URL`, the superuser's database of a server that is there for these tests alone, or an embedded one of this run's own. */
async function openServer(
  dataDir: string,
  stops: Array<() => Promise<void> | void>,
): Promise<{ databaseUrl: string }> {
  const databaseUrl = process.env['TEST_POSTGRES_URL'];
  if (databaseUrl !== undefined) return { databaseUrl };
  const directory = lockDataDirectory(dataDir);
  const server = await startEmbeddedPostgres({ directory, durability: 'none' });
  stops.push(() => server.stop());
  return server;
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
