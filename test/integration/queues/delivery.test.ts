import { randomUUID } from 'node:crypto';
import { defineJob, ingestItemJob, placeCallJob } from '@outdial/contracts';
import { InvalidJobPayloadError, measureQueue, onJob } from '@outdial/queues';
import { describe, expect, test } from 'vitest';
import { queueBackends } from '../../support/queues.ts';
import { countdown, eventually, placeCallPayload } from '../queues.world.ts';
import { openTestQueues } from './test-queues.ts';

const retriedJob = defineJob({
  ...ingestItemJob,
  name: 'retried',
  retry: { attempts: 3, backoffMs: 1 },
});

describe.each(queueBackends())('queues on %s', (kind) => {
  test('a published job reaches its handler, parsed', async () => {
    const { publisher, consume, metrics } = await openTestQueues(kind);
    const seen: object[] = [];
    const all = countdown(1);
    consume(
      onJob({
        job: placeCallJob,
        concurrency: 2,
        async handle(payload) {
          seen.push(payload);
          all.tick();
        },
      }),
    );
    const payload = placeCallPayload();
    await publisher.publish(placeCallJob, { ...payload, newer_field: 1 } as typeof payload);
    await all.reached;
    expect(seen).toEqual([payload]);
    await eventually(() => metrics.results.includes('place-call completed'));
  });

  test('a job that is published first overtakes waiting ones', async () => {
    const { publisher, consume } = await openTestQueues(kind);
    const waiting = [1, 2, 3].map(placeCallPayload);
    const first = placeCallPayload();
    await publisher.publishMany(placeCallJob, waiting);
    await publisher.publish(placeCallJob, first, { first: true });
    const order: string[] = [];
    const all = countdown(4);
    consume(
      onJob({
        job: placeCallJob,
        concurrency: 1,
        async handle({ call_id: id }) {
          order.push(id);
          all.tick();
        },
      }),
    );
    await all.reached;
    expect(order).toEqual([first, ...waiting].map((one) => one.call_id));
  });

  test('a call that is published again while no worker runs has one job, and runs again if it is published while it runs', async () => {
    const { queues, publisher, consume } = await openTestQueues(kind);
    const queue = queues().find(({ name }) => name === placeCallJob.name);
    const calls = [1, 2, 3].map(placeCallPayload);
    const publish = () => publisher.publishMany(placeCallJob, calls, { first: true });
    await publish();
    await publish();
    expect(await queue?.getWaitingCount()).toBe(3);
    const runs: string[] = [];
    const all = countdown(6);
    consume(
      onJob({
        job: placeCallJob,
        concurrency: 1,
        async handle(payload) {
          // As a call that its own run defers, or that a released line wakes.
          const isFirst = !runs.includes(payload.call_id);
          runs.push(payload.call_id);
          if (isFirst) await publisher.publish(placeCallJob, payload, { first: true });
          all.tick();
        },
      }),
    );
    await all.reached;
    const twice = calls.flatMap(({ call_id: id }) => [id, id]);
    expect(runs.toSorted()).toEqual(twice.toSorted());
  });

  test('an invalid payload is refused by the publisher, and fails at once in the consumer', async () => {
    const { queues, publisher, consume, log, metrics } = await openTestQueues(kind);
    await expect(publisher.publish(ingestItemJob, { item_id: 'not-a-uuid' })).rejects.toThrow(
      InvalidJobPayloadError,
    );
    const queue = queues().find(({ name }) => name === ingestItemJob.name);
    await queue?.add(ingestItemJob.name, { item_id: 'secret-value' }, { attempts: 5 });
    let handled = 0;
    consume(
      onJob({
        job: ingestItemJob,
        concurrency: 1,
        async handle() {
          handled += 1;
        },
      }),
    );
    await eventually(async () => (await queue?.getFailedCount()) === 1);
    expect(handled).toBe(0);
    expect(metrics.results).toEqual(['ingest-item invalid']);
    const [failed] = (await queue?.getFailed()) ?? [];
    expect(failed?.failedReason).toContain('invalid payload for ingest-item: item_id');
    expect(JSON.stringify(log.lines)).not.toContain('secret-value');
  });

  test('a failed job is retried as often as defined, with the same id', async () => {
    const { publisher, consume } = await openTestQueues(kind);
    const ids: string[] = [];
    const all = countdown(3);
    consume(
      onJob({
        job: retriedJob,
        concurrency: 1,
        async handle(_payload, { jobId }) {
          ids.push(jobId);
          all.tick();
          throw new Error('not yet');
        },
      }),
    );
    await publisher.publish(retriedJob, { item_id: randomUUID() });
    await all.reached;
    expect(new Set(ids).size).toBe(1);
  });

  test('the number of finished jobs is bounded', async () => {
    const { queues, publisher, consume } = await openTestQueues(kind);
    const all = countdown(300);
    consume(
      onJob({
        job: placeCallJob,
        concurrency: 20,
        async handle() {
          all.tick();
        },
      }),
    );
    await publisher.publishMany(placeCallJob, Array.from({ length: 300 }, placeCallPayload));
    await all.reached;
    const queue = queues().find(({ name }) => name === placeCallJob.name);
    await eventually(async () => (await queue?.getActiveCount()) === 0);
    expect(await queue?.getCompletedCount()).toBeLessThanOrEqual(40);
  });

  test('the depth of a queue counts jobs that take turns, and its age is that of the oldest, whichever is first', async () => {
    const { queues } = await openTestQueues(kind);
    const [queue, ...others] = queues();
    if (queue === undefined) throw new Error('no queue');
    const measure = async () => {
      const { counts, oldestAtMs } = await measureQueue(queue);
      return { waiting: counts['waiting'], oldestAtMs };
    };
    expect(await measure()).toEqual({ waiting: 0, oldestAtMs: null });
    await queue.add(queue.name, {}, { timestamp: 5_000 });
    await queue.add(queue.name, {}, { timestamp: 6_000 });
    expect(await measure()).toEqual({ waiting: 2, oldestAtMs: 5_000 });
    await queue.add(queue.name, {}, { timestamp: 4_000, priority: 2 });
    await queue.add(queue.name, {}, { timestamp: 8_000, priority: 1 });
    expect(await measure()).toEqual({ waiting: 4, oldestAtMs: 4_000 });
    const [another] = others;
    if (another === undefined) throw new Error('no second queue');
    await another.add(another.name, {}, { timestamp: 6_000, lifo: true });
    await another.add(another.name, {}, { timestamp: 7_000, lifo: true });
    expect((await measureQueue(another)).oldestAtMs).toBe(6_000);
  });
});
