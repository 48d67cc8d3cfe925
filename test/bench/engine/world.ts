import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  addPrompt,
  connect,
  createAgent,
  createApiKey,
  createOrganization,
  createUser,
  ensureProvider,
  migrateToLatest,
  type Db,
} from '@outdial/db';
import { freePort } from '@outdial/local';
import { openPublisher, prepareQueueBackend, type Publisher, type QueueBackendConfig } from '@outdial/queues';
import pg from 'pg';
import { stopProcess } from '../stop-process.ts';

export interface World {
  databaseUrl: string;
  queue: QueueBackendConfig;
  db: Db;
  publisher: Publisher;
  organizationId: string;
  userId: string;
  agentId: string;
  /** The API key of an administrator. */
  apiKey: string;
  /** Starts a process of the product, or of this folder, with the settings of this world. Does not wait until it is ready. */
  start(program: string, env?: Record<string, string>, output?: Output): ChildProcess;
  /** Starts a process that answers `/readyz`, and waits until it is ready. */
  startReady(program: string, env?: Record<string, string>, output?: Output): Promise<Started>;
  /** Starts a scheduler and a worker. */
  startEngine(env?: Record<string, string>): Promise<{ scheduler: Started; worker: Started }>;
  close(): Promise<void>;
}

/** Where the output of a process goes. */
export type Output = 'inherit' | 'ignore' | ((line: string) => void);

export interface Started {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

const root = new URL('../../../', import.meta.url).pathname;
const readyWithinMs = 90_000;

/** The flag that containers and the local stack use. Bare Express gets it too, for a fair comparison. */
const smallYoungGeneration = ['--max-semi-space-size=16'];
const nodeFlags: Record<string, readonly string[]> = {
  'api/src/main.ts': smallYoungGeneration,
  'packages/voice/src/main.ts': smallYoungGeneration,
  'test/bench/engine/processes/bare-express.ts': smallYoungGeneration,
};

/** Logs only warnings and errors. */
export const quiet = {
  debug: () => undefined,
  info: () => undefined,
  warn: (fields: object, message: string) => console.error(message, fields),
  error: (fields: object, message: string) => console.error(message, fields),
};

export async function createDatabase(
  adminUrl: string,
  name: string,
  { migrated = true }: { migrated?: boolean } = {},
): Promise<string> {
  const admin = new pg.Client(adminUrl);
  await admin.connect();
  await admin.query(`create database ${admin.escapeIdentifier(name)}`);
  await admin.end();
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  if (migrated) await migrateToLatest({ databaseUrl: url.href });
  return url.href;
}

export async function openWorld(databaseUrl: string, queue: QueueBackendConfig): Promise<World> {
  await prepareQueueBackend(queue);
  const db = connect({ databaseUrl, poolMax: 10 });
  await ensureProvider(db, { name: 'simulator', adapter: 'simulator' });
  const organizationId = await createOrganization(db, { name: 'Bench' });
  const user = { email: 'bench@example.com', firstName: 'B', lastName: 'B', role: 'admin' as const };
  const userId = await createUser(db, { organizationId, ...user });
  const agentId = await createAgent(db, { organizationId, name: 'Bench', config: {} });
  await addPrompt(db, { organizationId, agentId, level: 1, prompt: 'Hello {{name}}.' });
  const { key: apiKey } = await createApiKey(db, { organizationId, userId, name: 'Bench', role: 'admin' });
  const publisher = openPublisher(queue, { log: quiet });
  const children: ChildProcess[] = [];

  function start(
    program: string,
    env: Record<string, string> = {},
    output: Output = 'inherit',
  ): ChildProcess {
    const child = spawn(process.execPath, [...(nodeFlags[program] ?? []), join(root, program)], {
      cwd: root,
      stdio: ['ignore', typeof output === 'string' ? output : 'pipe', 'inherit'],
      env: { PATH: process.env['PATH'], ...environmentOf(databaseUrl, queue), ...env },
    });
    if (typeof output !== 'string' && child.stdout !== null) {
      createInterface({ input: child.stdout }).on('line', output);
    }
    children.push(child);
    return child;
  }

  const world: World = {
    databaseUrl,
    queue,
    db,
    publisher,
    organizationId,
    userId,
    agentId,
    apiKey,
    start,
    async startReady(program, env = {}, output) {
      const port = String(await freePort());
      // The api answers on its own port, the scheduler and the worker on their health port.
      const child = start(program, { PORT: port, HEALTH_PORT: port, ...env }, output);
      const url = `http://127.0.0.1:${port}`;
      await waitUntilReady(child, url);
      return { url, pid: child.pid ?? Number.NaN, stop: () => stopProcess(child) };
    },
    async startEngine(env) {
      const scheduler = await world.startReady('scheduler/src/main.ts', env);
      const worker = await world.startReady('worker/src/main.ts', env);
      return { scheduler, worker };
    },
    async close() {
      await Promise.all(children.map(stopProcess));
      await publisher.close();
      await db.destroy();
    },
  };
  return world;
}

async function waitUntilReady(child: ChildProcess, url: string): Promise<void> {
  const startedMs = performance.now();
  for (;;) {
    const answer = await fetch(`${url}/readyz`).catch(() => null);
    await answer?.body?.cancel();
    // Before the answer counts, since another process that has the port would also answer.
    if (child.exitCode !== null) throw new Error(`a process ended at its start, with ${child.exitCode}`);
    if (answer?.ok) return;
    if (performance.now() - startedMs > readyWithinMs) throw new Error('a process did not become ready');
    await sleep(50);
  }
}

function environmentOf(databaseUrl: string, queue: QueueBackendConfig): Record<string, string> {
  const redis: Record<string, string> =
    queue.kind === 'redis' ? { REDIS_URL: queue.url, REDIS_PREFIX: queue.prefix ?? 'outdial' } : {};
  return {
    DATABASE_URL: databaseUrl,
    ...redis,
    LOG_LEVEL: 'error',
    // A benchmark exceeds every rate limit.
    RATE_LIMITS: 'off',
    SIMULATOR_RING_MS: '0',
    SIMULATOR_TALK_MS: '0',
  };
}
