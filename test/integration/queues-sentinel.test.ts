import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, superviseChild } from '@outdial/local';
import { openPublisher } from '@outdial/queues';
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { queueBackends } from '../support/queues.ts';
import { findRedis } from '../support/redis/find-redis.ts';
import { startRedisPair } from '../support/redis/redis-pair.ts';
import { waitFor } from '../support/stack/wait-for.ts';
import { recordingLog } from './queues.world.ts';

/** A Sentinel that watches this primary. Returns a client of it. */
async function useSentinel(primary: { port: number }): Promise<{ port: number; client: Redis }> {
  const found = await findRedis();
  if (found.state === 'missing') throw new Error(found.reason);
  const folder = mkdtempSync(join(tmpdir(), 'outdial-sentinel-'));
  const port = await freePort();
  const file = join(folder, 'sentinel.conf');
  const settings = [
    `port ${port}`,
    'bind 127.0.0.1',
    `dir ${folder}`,
    `sentinel monitor main 127.0.0.1 ${primary.port} 1`,
    'sentinel down-after-milliseconds main 1000',
    'sentinel failover-timeout main 5000',
  ];
  writeFileSync(file, settings.join('\n'));
  const child = await superviseChild({
    command: found.program.command,
    args: [file, '--sentinel'],
    cwd: folder,
    env: found.program.env,
    logPath: join(folder, 'sentinel.log'),
    stopWith: [{ signal: 'SIGKILL', afterMs: 0 }],
  });
  const client = new Redis(port, '127.0.0.1');
  client.on('error', () => undefined);
  onTestFinished(async () => {
    client.disconnect();
    await child.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return { port, client };
}

describe.runIf(queueBackends().includes('redis'))('a Redis with Sentinels', () => {
  test('is found through them, and again after a failover', { timeout: 60_000 }, async () => {
    const pair = await startRedisPair();
    onTestFinished(() => pair.stop());
    const [first, second] = pair.nodes;
    const sentinel = await useSentinel(first);
    await waitFor('the replica is known', async () => {
      const replicas = (await sentinel.client.call('sentinel', 'replicas', 'main')) as unknown[];
      return replicas.length === 1;
    });
    const hosts = [
      { host: '127.0.0.1', port: await freePort() },
      { host: '127.0.0.1', port: sentinel.port },
    ];
    const url = `redis://127.0.0.1:${sentinel.port}`;
    const publisher = openPublisher(
      { kind: 'redis', url, prefix: 'sentinel', sentinel: { name: 'main', hosts } },
      { log: recordingLog() },
    );
    onTestFinished(() => publisher.close());
    const works = () =>
      waitFor('a publish', () =>
        publisher.ping().then(
          () => true,
          () => false,
        ),
      );
    await works();
    const writtenTo = async (node: typeof first) => (await node.client().keys('*sentinel*')).length > 0;
    expect(await writtenTo(first)).toBe(true);

    await first.client().flushall();
    // A Sentinel that has not asked the replica yet finds none to promote.
    await waitFor('the failover to begin', () =>
      sentinel.client.call('sentinel', 'failover', 'main').then(
        () => true,
        (error: unknown) => {
          if (!String(error).includes('NOGOODSLAVE')) throw error;
          return false;
        },
      ),
    );
    await waitFor('the second is the primary', async () => {
      const [role] = (await second.client().role()) as [string];
      return role === 'master';
    });
    await waitFor('a publish at the new primary', async () => {
      await publisher.ping().catch(() => undefined);
      return writtenTo(second);
    });
    await works();
  });
});
