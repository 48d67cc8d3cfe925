import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeTemplate, templateDatabase } from '../../support/services/template-database.ts';
import { startPostgresServer } from '../stack/postgres-server.ts';
import { startRedisServer } from '../stack/redis-server.ts';

export interface ScenarioServers {
  adminUrl: string;
  redisUrl: string | null;
  /** A database with all migrations, to copy; null if each scenario has to migrate its own. */
  template: string | null;
  stop(): Promise<void>;
}

/** The servers that scenarios share, or those of the environment. Each scenario has its own database and key prefix. */
export async function openServers(): Promise<ScenarioServers> {
  const adminUrl = process.env['SCENARIO_POSTGRES_URL'];
  const redisUrl = process.env['SCENARIO_REDIS_URL'];
  if (adminUrl && redisUrl) {
    const template = process.env['SCENARIO_TEMPLATE'] ?? null;
    return { adminUrl, redisUrl, template, stop: () => Promise.resolve() };
  }
  const folder = mkdtempSync(join(tmpdir(), 'outdial-scenarios-'));
  const postgres = await startPostgresServer(folder);
  await makeTemplate(postgres.databaseUrl);
  const redis = await startRedisServer(folder);
  return {
    adminUrl: postgres.databaseUrl,
    redisUrl: redis.url,
    template: templateDatabase,
    async stop() {
      await redis.stop();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
