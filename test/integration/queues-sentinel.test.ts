import { freePort } from '@outdial/local';
import { openPublisher } from '@outdial/queues';
import { describe, expect, onTestFinished, test } from 'vitest';
import { queueBackends } from '../support/queues.ts';
import { startRedisPair } from '../support/redis/redis-pair.ts';
import { startSentinel } from '../support/redis/start-sentinel.ts';
import { waitFor } from '../support/stack/wait-for.ts';
import { recordingLog } from './queues.world.ts';

async function useSentinel(primary: { port: number }) {
  const sentinel = await startSentinel(primary);
  onTestFinished(() => sentinel.stop());
  return sentinel;
}

describe.runIf(queueBackends().includes('redis'))('a Redis with Sentinels', () => {
  test('is found through them, and again after a failover', async () => {
    const pair = await startRedisPair();
    onTestFinished(() => pair.stop());
    const [first, second] = pair.nodes;
    const sentinel = await useSentinel(first);
    await waitFor('the replica is known', () => sentinel.knowsReplica());
    const hosts = [
      { host: '127.0.0.1', port: await freePort() },
      { host: '127.0.0.1', port: sentinel.port },
    ];
    const url = `redis://127.0.0.1:${sentinel.port}`;
    const publisher = openPublisher(
      { kind: 'redis', url, prefix: 'sentinel', sentinel: { name: 'mymaster', hosts } },
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
    await waitFor('the failover to begin', () => sentinel.failOver());
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
