import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgresServer } from '../stack/postgres-server.ts';
import { startRedisServer } from '../stack/redis-server.ts';

export interface ScenarioServers {
  adminUrl: string;
  redisUrl: string | null;
  stop(): Promise<void>;
}

/** The servers that scenarios share, or those of the environment. Each scenario has its own database and key prefix. */
export async function openServers(): Promise<ScenarioServers> {
  const adminUrl = process.env['SCENARIO_POSTGRES_URL'];
  const redisUrl = process.env['SCENARIO_REDIS_URL'];
  if (adminUrl && redisUrl) return { adminUrl, redisUrl, stop: () => Promise.resolve() };
  const folder = mkdtempSync(join(tmpdir(), 'outdial-scenarios-'));
  const postgres = await startPostgresServer(folder);
  const redis = await startRedisServer(folder);
  return {
    adminUrl: postgres.databaseUrl,
    redisUrl: redis.url,
    async stop() {
      await redis.stop();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
