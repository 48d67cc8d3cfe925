import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, type SupervisedChild } from '@outdial/local';
import { Redis } from 'ioredis';
import { findRedis } from '../../support/redis/find-redis.ts';
import type { RedisProgram } from '../../support/redis/redis-program.ts';
import { superviseRedis } from '../../support/redis/supervise-redis.ts';

/** The run's own Redis, with an append-only file. Its port stays the same over restarts. */
export interface RedisServer {
  url: string;
  /** If the url is of a Sentinel. */
  sentinel?: { name: string; hosts: Array<{ host: string; port: number }> };
  /** SIGKILL, and a restart after some time with the data of the append-only file. */
  killAndRestart(downMs: number): Promise<void>;
  /** The same, without any data. */
  loseEverything(downMs: number): Promise<void>;
  /** FLUSHALL under running workers. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

const readyWithinMs = 20_000;

class NoRedisError extends Error {
  readonly code = 'no_redis';
}

export async function startRedisServer(root: string): Promise<RedisServer> {
  const found = await findRedis();
  if (found.state === 'missing') throw new NoRedisError(`there is no Redis for this run: ${found.reason}`);
  const { program } = found;
  const folder = join(root, 'redis');
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let server = await start(program, folder, port);

  async function killAndRestart(downMs: number, losesData: boolean): Promise<void> {
    process.kill(server.pid, 'SIGKILL');
    await server.exited;
    await sleep(downMs);
    if (losesData) rmSync(folder, { recursive: true, force: true });
    server = await start(program, folder, port);
  }

  return {
    url,
    killAndRestart: (downMs) => killAndRestart(downMs, false),
    loseEverything: (downMs) => killAndRestart(downMs, true),
    async flush() {
      const redis = new Redis(url);
      redis.on('error', () => undefined);
      try {
        await redis.flushall();
      } finally {
        redis.disconnect();
      }
    },
    stop: () => server.stop(),
  };
}

async function start(program: RedisProgram, folder: string, port: number): Promise<SupervisedChild> {
  mkdirSync(folder, { recursive: true });
  const settings = { port, appendonly: 'yes', appendfsync: 'everysec' };
  const server = await superviseRedis(program, folder, settings);
  await becomesReady(`redis://127.0.0.1:${port}`);
  return server;
}

async function becomesReady(url: string): Promise<void> {
  const deadline = performance.now() + readyWithinMs;
  for (;;) {
    const redis = new Redis(url, { lazyConnect: true, retryStrategy: null, maxRetriesPerRequest: 0 });
    redis.on('error', () => undefined);
    try {
      await redis.connect();
      await redis.ping();
      return;
    } catch (cause) {
      if (performance.now() > deadline) {
        throw new NoRedisError('the Redis of this run did not start', { cause });
      }
      await sleep(25);
    } finally {
      redis.disconnect();
    }
  }
}
