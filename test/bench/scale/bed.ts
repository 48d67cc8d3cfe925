import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  addPrompt,
  connect,
  createAgent,
  createOrganization,
  createUser,
  ensureProvider,
  migrateToLatest,
  type Db,
} from '@outdial/db';
import { lockDataDirectory, startEmbeddedPostgres } from '@outdial/local';
import { openPublisher, type Publisher } from '@outdial/queues';
import pg from 'pg';
import { stopProcess } from '../stop-process.ts';
import { openRedis } from '../../support/redis/open-redis.ts';

/** Ended with this process, even if it crashes. */
const started = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of started) child.kill('SIGKILL');
});
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

const root = new URL('../../../', import.meta.url).pathname;

/** Logs only warnings and errors. */
export const quiet = {
  debug: () => undefined,
  info: () => undefined,
  warn: (fields: object, message: string) => console.error(message, fields),
  error: (fields: object, message: string) => console.error(message, fields),
};

/** Starts a Postgres that flushes its commits and counts its statements, and a Redis, both for this run only. */
export interface ScaleBed {
  postgresPid: number;
  redisUrl: string;
  world(organizations: number): Promise<ScaleWorld>;
  close(): Promise<void>;
}

export interface ScaleWorld {
  databaseUrl: string;
  redisUrl: string;
  prefix: string;
  db: Db;
  publisher: Publisher;
  tenants: Tenant[];
  start(program: string, env?: Record<string, string>): ChildProcess;
  close(): Promise<void>;
}

/** An organization with one user and one agent that can call. */
export interface Tenant {
  organizationId: string;
  userId: string;
  agentId: string;
}

export async function openScaleBed(): Promise<ScaleBed> {
  const folder = mkdtempSync(join(tmpdir(), 'outdial-scale-'));
  const directory = lockDataDirectory(join(folder, 'data'));
  const first = await startEmbeddedPostgres({ directory, durability: 'full' });
  await asAdmin(first.databaseUrl, async (admin) => {
    await admin.query(`alter system set shared_preload_libraries = 'pg_stat_statements'`);
    await admin.query(`alter system set pg_stat_statements.track_planning = on`);
    await admin.query(`alter system set track_io_timing = on`);
    await admin.query(`alter system set max_connections = 300`);
  });
  await first.stop();
  const postgres = await startEmbeddedPostgres({ directory, durability: 'full' });
  const redis = await openRedis(join(folder, 'redis'));
  if (redis.state === 'missing') throw new Error(`no Redis: ${redis.reason}`);
  let worlds = 0;
  return {
    postgresPid: postgres.serverPid,
    redisUrl: redis.url,
    world(organizations) {
      worlds += 1;
      return openWorld(postgres.databaseUrl, redis.url, `scale_${worlds}`, organizations);
    },
    async close() {
      await redis.close();
      await postgres.stop();
      directory.release();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function asAdmin(url: string, act: (admin: pg.Client) => Promise<void>): Promise<void> {
  const admin = new pg.Client(url);
  await admin.connect();
  await act(admin);
  await admin.end();
}

async function openWorld(
  adminUrl: string,
  redisUrl: string,
  name: string,
  organizations: number,
): Promise<ScaleWorld> {
  await asAdmin(adminUrl, async (admin) => {
    await admin.query(`create database ${admin.escapeIdentifier(name)}`);
  });
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  const databaseUrl = url.href;
  await asAdmin(databaseUrl, async (admin) => {
    await admin.query('create extension pg_stat_statements');
  });
  await migrateToLatest({ databaseUrl });
  // Rows of a large installation are written in one statement.
  const db = connect({ databaseUrl, poolMax: 10, statementTimeoutMs: 600_000 });
  await ensureProvider(db, { name: 'simulator', adapter: 'simulator' });
  const tenants: Tenant[] = [];
  for (let n = 0; n < organizations; n++) tenants.push(await makeTenant(db, n));
  const publisher = openPublisher({ kind: 'redis', url: redisUrl, prefix: name }, { log: quiet });
  const children: ChildProcess[] = [];
  return {
    databaseUrl,
    redisUrl,
    prefix: name,
    db,
    publisher,
    tenants,
    start(program, env = {}) {
      const child = spawn(process.execPath, [join(root, program)], {
        cwd: root,
        stdio: ['ignore', 'inherit', 'inherit'],
        env: {
          PATH: process.env['PATH'],
          DATABASE_URL: databaseUrl,
          REDIS_URL: redisUrl,
          REDIS_PREFIX: name,
          LOG_LEVEL: 'error',
          ...env,
        },
      });
      children.push(child);
      started.add(child);
      child.once('exit', () => started.delete(child));
      return child;
    },
    async close() {
      await Promise.all(children.map(stopProcess));
      await publisher.close();
      await db.destroy();
    },
  };
}

async function makeTenant(db: Db, n: number): Promise<Tenant> {
  const organizationId = await createOrganization(db, { name: `Tenant ${n}` });
  const user = { email: `user${n}@example.com`, firstName: 'A', lastName: 'B', role: 'admin' as const };
  const userId = await createUser(db, { organizationId, ...user });
  const agentId = await createAgent(db, { organizationId, name: 'Agent', config: {} });
  await addPrompt(db, { organizationId, agentId, level: 1, prompt: 'Hello {{name}}.' });
  return { organizationId, userId, agentId };
}
