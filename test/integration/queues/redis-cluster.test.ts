import { randomUUID } from 'node:crypto';
import { advanceCampaignJob, checkCallJob, jobCatalogue, placeCallJob } from '@outdial/contracts';
import { onJob, openConsumer, openPublisher, QueueUnavailableError } from '@outdial/queues';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { queueBackends } from '../../support/queues.ts';
import { countdown, eventually, placeCallPayload, recordingLog, uniqueName } from '../queues.world.ts';
import { openRedisCluster, type RedisCluster } from './redis-cluster.ts';

describe.runIf(queueBackends().includes('redis'))('queues on a Redis Cluster of three masters', () => {
  let cluster: RedisCluster | null = null;
  beforeAll(async () => {
    cluster = await openRedisCluster();
  });
  afterAll(() => cluster?.close());
  beforeEach(({ skip }) => skip(cluster === null, 'this machine has no redis-server to make a cluster of'));

  /** A publisher, and consumers that stop after the test. */
  function queues() {
    if (cluster === null) throw new Error('no cluster');
    const prefix = uniqueName();
    const config = { kind: 'redis', url: cluster.url, cluster: true, prefix } as const;
    const log = recordingLog();
    const publisher = openPublisher(config, { log });
    onTestFinished(() => publisher.close());
    return {
      nodes: cluster.nodes,
      prefix,
      log,
      publisher,
      consume: (handlers: Parameters<typeof openConsumer>[2]) => {
        const consumer = openConsumer(config, { log }, handlers);
        onTestFinished(() => consumer.close({ drainMs: 1_000 }));
      },
    };
  }

  test('every kind of job goes through, in bulk and one by one', async () => {
    const { publisher, consume, log } = queues();
    const calls = Array.from({ length: 300 }, placeCallPayload);
    const campaigns = Array.from({ length: 20 }, () => randomUUID());
    const checks = Array.from({ length: 20 }, placeCallPayload);
    const first = placeCallPayload();
    const all = [...[...calls, first, ...checks].map(({ call_id }) => call_id), ...campaigns];
    const seen: string[] = [];
    const done = countdown(all.length);
    const see = (id: string) => {
      seen.push(id);
      done.tick();
    };
    consume([
      onJob({ job: placeCallJob, concurrency: 50, handle: async ({ call_id }) => see(call_id) }),
      onJob({ job: advanceCampaignJob, concurrency: 8, handle: async ({ campaign_id }) => see(campaign_id) }),
      onJob({ job: checkCallJob, concurrency: 8, handle: async ({ call_id }) => see(call_id) }),
    ]);
    await publisher.publishMany(placeCallJob, calls);
    await publisher.publish(placeCallJob, first, { first: true });
    for (const campaign_id of campaigns) await publisher.publish(advanceCampaignJob, { campaign_id });
    await publisher.publishMany(checkCallJob, checks);
    await done.reached;
    expect(seen.toSorted()).toEqual(all.toSorted());
    expect(log.lines.filter((line) => line.level === 'error')).toEqual([]);
  });

  test('the keys of a queue are on one node, and those of different queues on different ones', async () => {
    const { publisher, nodes, prefix } = queues();
    await publisher.publishMany(placeCallJob, Array.from({ length: 50 }, placeCallPayload));
    await publisher.publish(advanceCampaignJob, { campaign_id: randomUUID() });
    await publisher.publish(checkCallJob, { call_id: randomUUID() });
    const [any] = nodes;
    const slots = new Map<string, Set<number>>();
    for (const node of nodes) {
      for (const key of await node.keys(`{${prefix}:*`)) {
        const tag = /^\{[^}]+\}/.exec(key)?.[0] ?? key;
        const slot = (await any?.cluster('KEYSLOT', key)) ?? -1;
        slots.set(tag, (slots.get(tag) ?? new Set()).add(slot));
      }
    }
    expect(slots.size).toBe(3);
    for (const ofOneQueue of slots.values()) expect(ofOneQueue.size).toBe(1);
    // With the default prefix, the queues of calls use different slots, so each can be on another node.
    const byDefault = new Set<unknown>();
    for (const job of jobCatalogue) byDefault.add(await any?.cluster('KEYSLOT', `{outdial:${job.name}}`));
    expect(byDefault.size).toBe(jobCatalogue.length);
  });

  test('publisher and consumer follow a queue to another node', async () => {
    const { publisher, consume, nodes, prefix } = queues();
    const before = Array.from({ length: 100 }, placeCallPayload);
    const after = Array.from({ length: 100 }, placeCallPayload);
    const seen: string[] = [];
    const firstHalf = countdown(before.length);
    const all = countdown(before.length + after.length);
    consume([
      onJob({
        job: placeCallJob,
        concurrency: 10,
        async handle({ call_id }) {
          seen.push(call_id);
          firstHalf.tick();
          all.tick();
        },
      }),
    ]);
    await publisher.publishMany(placeCallJob, before);
    await firstHalf.reached;
    // The consumer waits for jobs on a node that gives up the queue.
    await moveSlot(nodes, `{${prefix}:${placeCallJob.name}}`);
    await publisher.publishMany(placeCallJob, after);
    await all.reached;
    expect(seen.toSorted()).toEqual([...before, ...after].map((call) => call.call_id).toSorted());
  });

  test('a publisher that was refused by a primary without replicas publishes again when it has some', async () => {
    const { publisher, nodes } = queues();
    const replicasNeeded = (count: string) =>
      Promise.all(nodes.map((node) => node.config('SET', 'min-replicas-to-write', count)));
    onTestFinished(async () => void (await replicasNeeded('0')));
    const answers = () =>
      publisher.ping().then(
        () => true,
        () => false,
      );
    await eventually(answers);
    await replicasNeeded('1');
    await expect(publisher.publish(placeCallJob, placeCallPayload())).rejects.toThrow(QueueUnavailableError);
    await replicasNeeded('0');
    await eventually(answers);
    await publisher.publish(placeCallJob, placeCallPayload());
  });
});

/** Moves the slot of a key to the next node with its keys, like `redis-cli --cluster reshard`. */
async function moveSlot(nodes: RedisCluster['nodes'], key: string): Promise<void> {
  const ids = await Promise.all(nodes.map((node) => node.cluster('MYID')));
  const slot = (await nodes[0]?.cluster('KEYSLOT', key)) ?? 0;
  const owner = Math.floor(slot / Math.ceil(16_384 / nodes.length));
  const target = (owner + 1) % nodes.length;
  const [from, to] = [nodes[owner], nodes[target]];
  if (!from || !to) throw new Error('no such node');
  await to.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', String(ids[owner]));
  await from.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', String(ids[target]));
  for (;;) {
    const keys = await from.cluster('GETKEYSINSLOT', slot, 100);
    if (keys.length === 0) break;
    await from.call(
      'MIGRATE',
      '127.0.0.1',
      String(to.options.port),
      '',
      0,
      5_000,
      'REPLACE',
      'KEYS',
      ...keys,
    );
  }
  for (const node of nodes) await node.call('CLUSTER', 'SETSLOT', slot, 'NODE', String(ids[target]));
}
