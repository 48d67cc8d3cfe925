import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { migrateToLatest } from '@outdial/db';
import { freePort } from '@outdial/local';
import { describe, type TestContext, test } from 'vitest';
import { z } from 'zod';
import { childEnvironment } from '../support/child-environment.ts';
import { createTestDatabase } from '../support/database.ts';
import { queueBackends } from '../support/queues.ts';
import { freshBackend } from './queues.backends.ts';
import { CuttableWire, eventually } from './queues.world.ts';

const line = z.looseObject({
  level: z.string(),
  msg: z.string(),
  check: z.string().optional(),
  reason: z.string().optional(),
});
const readyLine = { api: 'listening', scheduler: 'scheduler ready', worker: 'worker ready' } as const;

/** A process on a database without tables, and a Redis that is down. */
async function setup(service: keyof typeof readyLine, { onTestFinished }: TestContext) {
  const database = await createTestDatabase({ migrated: false });
  onTestFinished(() => database.drop());
  const redis = await freshBackend('redis');
  onTestFinished(redis.dispose);
  const wire = new CuttableWire(redis.url);
  // Listens on a port without accepting connections.
  await wire.reconnect();
  const redisUrl = wire.url;
  await wire.cut();
  onTestFinished(() => wire.cut());

  const port = String(await freePort());
  const main = fileURLToPath(new URL(`../../${service}/src/main.ts`, import.meta.url));
  const child = spawn(process.execPath, [main], {
    env: {
      ...childEnvironment,
      DATABASE_URL: database.databaseUrl,
      REDIS_URL: redisUrl,
      REDIS_PREFIX: redis.config.kind === 'redis' ? redis.config.prefix : undefined,
      TELEPHONY_PROVIDER: 'simulator',
      PORT: port,
      HEALTH_PORT: port,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => ended(child));
  const lines: Array<z.output<typeof line>> = [];
  createInterface({ input: child.stdout }).on('line', (text) => lines.push(line.parse(JSON.parse(text))));

  async function readyz() {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
    return answer === null ? null : { status: answer.status, body: await answer.json() };
  }
  return { databaseUrl: database.databaseUrl, wire, lines, readyz };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

describe.runIf(queueBackends().includes('redis'))('what keeps a process from its work', () => {
  // They wait more than they compute.
  test.concurrent.for(['api', 'scheduler', 'worker'] as const)(
    '%s reports it on /readyz and once in the log, waits for it to end, and detects its return',
    async (service, context) => {
      const { expect } = context;
      const { databaseUrl, wire, lines, readyz } = await setup(service, context);
      const away = 'cannot be reached';
      /** The lines of a check, from one on. On a busy machine, Postgres or Redis may really fail to answer in time: each time, the log has a line. */
      const linesOf = (wanted: string, from = 0) =>
        lines
          .slice(from)
          .filter(({ check }) => check === wanted)
          .map(({ msg, reason }) => `${msg}: ${reason?.split(':')[0] ?? ''}`);
      const once = (told: readonly string[]) => told.filter((one, n) => one !== told[n - 1]);
      const answersWith = (reasons: Record<string, unknown>) =>
        expect.poll(async () => (await readyz())?.body).toEqual({ status: 'not ready', reasons });

      await eventually(async () => (await readyz())?.status === 503);
      await eventually(
        () =>
          linesOf('database').includes('not ready: migrations have not run') &&
          linesOf('queue').includes('not ready: cannot be reached'),
      );
      const migrations: unknown = expect.stringContaining('migrations have not run: 0001_base');
      await answersWith({ database: migrations, queue: away });
      expect(lines.map(({ msg }) => msg)).not.toContain(readyLine[service]);

      await migrateToLatest({ databaseUrl });
      await wire.reconnect();
      await eventually(async () => (await readyz())?.status === 200);
      await eventually(() => lines.some(({ msg }) => msg === readyLine[service]));
      expect(lines).toContainEqual(expect.objectContaining({ check: 'database', reason: migrations }));

      const seen = lines.length;
      await wire.cut();
      await eventually(async () => (await readyz())?.status === 503);
      await answersWith({ queue: away });
      await eventually(() => linesOf('queue', seen).includes('not ready: cannot be reached'));
      for (const check of ['database', 'queue']) expect(linesOf(check)).toEqual(once(linesOf(check)));
      expect(lines.filter(({ level }) => level === 'fatal')).toEqual([]);
    },
  );
});
