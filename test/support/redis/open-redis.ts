import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@outdial/local';
import { Redis } from 'ioredis';
import type { RedisProgram } from './redis-program.ts';
import { findRedis } from './find-redis.ts';
import { superviseRedis } from './supervise-redis.ts';

export type OpenedRedis =
  | { state: 'open'; url: string; prefix: string; close: () => Promise<void> }
  | { state: 'missing'; reason: string };

const startsAtMost = 5;
const readyTimeoutMs = 60_000;

/** Opens `REDIS_URL`, or starts a server for this run with its files in `folder`. */
export async function openRedis(folder: string): Promise<OpenedRedis> {
  const prefix = `outdial-test-${randomBytes(6).toString('hex')}`;
  const url = process.env['REDIS_URL'];
  if (url) {
    if (!(await answers(url))) throw new Error('REDIS_URL is set, and no Redis answers there');
    return { state: 'open', url, prefix, close: () => removeKeys(url, prefix) };
  }
  const found = await findRedis();
  if (found.state === 'missing') return found;
  mkdirSync(folder, { recursive: true });
  const server = await start(found.program, folder);
  return { state: 'open', url: server.url, prefix, close: server.stop };
}

async function start(program: RedisProgram, folder: string) {
  for (let attempt = 0; attempt < startsAtMost; attempt += 1) {
    const port = await freePort();
    // Tests need no persistence.
    const server = await superviseRedis(program, folder, { port, appendonly: 'no' });
    const url = `redis://127.0.0.1:${port}`;
    const ended = new AbortController();
    void server.exited.then(() => ended.abort());
    if (await answers(url, ended.signal)) return { url, stop: () => server.stop() };
    await server.stop();
  }
  const lastWords = readFileSync(join(folder, 'redis.log'), 'utf8').trim().split('\n').at(-1);
  throw new Error(`${program.command} did not start: ${lastWords}`);
}

async function answers(url: string, givenUp?: AbortSignal): Promise<boolean> {
  const deadline = performance.now() + readyTimeoutMs;
  while (performance.now() < deadline && !givenUp?.aborted) {
    const redis = new Redis(url, { lazyConnect: true, retryStrategy: null, maxRetriesPerRequest: 0 });
    redis.on('error', () => {});
    try {
      await redis.connect();
      await redis.ping();
      return true;
    } catch {
      await delay(25);
    } finally {
      redis.disconnect();
    }
  }
  return false;
}

/** Deletes only keys with this run's prefix, because the Redis may have other data. */
async function removeKeys(url: string, prefix: string) {
  const redis = new Redis(url);
  try {
    for await (const keys of redis.scanStream({ match: `*${prefix}*`, count: 1000 })) {
      if (Array.isArray(keys) && keys.length > 0) await redis.unlink(...keys.map(String));
    }
  } finally {
    redis.disconnect();
  }
}
