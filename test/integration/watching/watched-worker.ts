import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '@outdial/local';
import { onTestFinished } from 'vitest';
import { childEnvironment } from '../../support/child-environment.ts';
import { createTestDatabase } from '../../support/database.ts';
import { freshBackend } from '../queues.backends.ts';
import { CuttableWire, eventually } from '../queues.world.ts';
import { Scrapes } from './scrapes.ts';
import { ops, target } from './watched-stack.ts';

const main = fileURLToPath(new URL('../../../worker/src/main.ts', import.meta.url));

/** A separate worker process, whose connection to Redis can be cut. */
export async function watchedWorker() {
  const database = await createTestDatabase();
  onTestFinished(() => database.drop());
  const redis = await freshBackend('redis');
  onTestFinished(redis.dispose);
  const wire = new CuttableWire(redis.url);
  await wire.reconnect();
  onTestFinished(() => wire.cut());
  const url = `http://127.0.0.1:${await freePort()}`;
  const child = spawn(process.execPath, [main], {
    env: {
      ...childEnvironment,
      DATABASE_URL: database.databaseUrl,
      REDIS_URL: wire.url,
      REDIS_PREFIX: redis.config.kind === 'redis' ? redis.config.prefix : undefined,
      TELEPHONY_PROVIDER: 'simulator',
      HEALTH_PORT: new URL(url).port,
      OPS_USER: ops.user,
      OPS_PASSWORD: ops.password,
      LOG_LEVEL: 'silent',
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  onTestFinished(kill);
  const isReady = (ready: boolean) =>
    eventually(async () => {
      const answer = await fetch(`${url}/readyz`).catch(() => null);
      return answer !== null && answer.ok === ready;
    });
  await isReady(true);
  const scrapes = new Scrapes();
  return {
    scrapes,
    scrape: () => scrapes.scrape([target('worker', () => `${url}/metrics`)]),
    async cutRedis() {
      await wire.cut();
      await isReady(false);
    },
    async reconnectRedis() {
      await wire.reconnect();
      await isReady(true);
    },
    /** Stops the process for a while, as on an overloaded machine. */
    async freeze(ms: number) {
      // The event loop delay is measured between ticks 100 ms apart. The first tick after a scrape has no predecessor, and the one after the freeze has
      // to come before the next scrape.
      await sleep(500);
      child.kill('SIGSTOP');
      await sleep(ms);
      child.kill('SIGCONT');
      await sleep(500);
    },
    kill,
  };
}
