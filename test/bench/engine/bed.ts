import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
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
import { openPublisher, prepareQueueBackend, type Publisher, type QueueBackendConfig } from '@outdial/queues';
import pg from 'pg';
import { openRedis } from '../../support/redis/open-redis.ts';

export type Backend = 'redis' | 'postgres';

/** What every measurement stands on: a real Postgres that flushes its commits, and a real Redis. */
export interface Bed {
  /** A migrated database of its own, with one agent that can call. */
  world(backend: Backend): Promise<World>;
  close(): Promise<void>;
}

export interface World {
  databaseUrl: string;
  queue: QueueBackendConfig;
  db: Db;
  publisher: Publisher;
  organizationId: string;
  userId: string;
  agentId: string;
  /** Starts a process of the product, or of this folder, with the settings of this world. */
  start(program: string, env?: Record<string, string>): ChildProcess;
  close(): Promise<void>;
}

const root = new URL('../../../', import.meta.url).pathname;
/** Only what goes wrong is worth a line here. */
export const quiet = {
  debug: () => undefined,
  info: () => undefined,
  warn: (fields: object, message: string) => console.error(message, fields),
  error: (fields: object, message: string) => console.error(message, fields),
};

export async function openBed(): Promise<Bed> {
  const folder = mkdtempSync(join(tmpdir(), 'outdial-bench-'));
  const directory = lockDataDirectory(join(folder, 'data'));
  const postgres = await startEmbeddedPostgres({ directory, durability: 'full' });
  const redis = await openRedis(join(folder, 'redis'));
  let worlds = 0;
  return {
    async world(backend) {
      worlds += 1;
      const databaseUrl = await createDatabase(postgres.databaseUrl, `bench_${worlds}`);
      if (backend === 'redis' && redis.state === 'missing') throw new Error(`no Redis: ${redis.reason}`);
      const queue: QueueBackendConfig =
        backend === 'redis' && redis.state === 'open'
          ? { kind: 'redis', url: redis.url, prefix: `bench${worlds}` }
          : { kind: 'postgres', url: databaseUrl };
      return openWorld(databaseUrl, queue);
    },
    async close() {
      if (redis.state === 'open') await redis.close();
      await postgres.stop();
      directory.release();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function createDatabase(adminUrl: string, name: string): Promise<string> {
  const admin = new pg.Client(adminUrl);
  await admin.connect();
  await admin.query(`create database ${admin.escapeIdentifier(name)}`);
  await admin.end();
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  await migrateToLatest({ databaseUrl: url.href });
  return url.href;
}

async function openWorld(databaseUrl: string, queue: QueueBackendConfig): Promise<World> {
  await prepareQueueBackend(queue);
  const db = connect({ databaseUrl, poolMax: 10 });
  await ensureProvider(db, { name: 'simulator', adapter: 'simulator' });
  const organizationId = await createOrganization(db, { name: 'Bench' });
  const user = { email: 'bench@example.com', firstName: 'B', lastName: 'B', role: 'admin' as const };
  const userId = await createUser(db, { organizationId, ...user });
  const agentId = await createAgent(db, { organizationId, name: 'Bench', config: {} });
  await addPrompt(db, { organizationId, agentId, level: 1, prompt: 'Hello {{name}}.' });
  const publisher = openPublisher(queue, { log: quiet });
  const children: ChildProcess[] = [];
  return {
    databaseUrl,
    queue,
    db,
    publisher,
    organizationId,
    userId,
    agentId,
    start(program, env = {}) {
      const child = spawn(process.execPath, [join(root, program)], {
        cwd: root,
        stdio: ['ignore', 'inherit', 'inherit'],
        env: { PATH: process.env['PATH'], ...environmentOf(databaseUrl, queue), ...env },
      });
      children.push(child);
      return child;
    },
    async close() {
      await Promise.all(
        children.map(async (child) => {
          if (child.exitCode !== null || child.signalCode !== null) return;
          child.kill('SIGTERM');
          await once(child, 'exit');
        }),
      );
      await publisher.close();
      await db.destroy();
    },
  };
}

function environmentOf(databaseUrl: string, queue: QueueBackendConfig): Record<string, string> {
  const redis: Record<string, string> =
    queue.kind === 'redis' ? { REDIS_URL: queue.url, REDIS_PREFIX: queue.prefix ?? 'outdial' } : {};
  return {
    DATABASE_URL: databaseUrl,
    ...redis,
    LOG_LEVEL: 'error',
    SIMULATOR_RING_MS: '0',
    SIMULATOR_TALK_MS: '0',
  };
}
