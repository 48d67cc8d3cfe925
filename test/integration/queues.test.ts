import { randomUUID } from 'node:crypto';
import { advanceCampaignJob, defineJob, ingestItemJob, placeCallJob } from '@outdial/contracts';
import { InvalidJobPayloadError, onJob, openConsumer, openPublisher, openQueues } from '@outdial/queues';
import { afterEach, describe, expect, test } from 'vitest';
import { queueBackends } from '../support/queues.ts';
import { freshBackend } from './queues.backends.ts';
import { countdown, eventually, placeCallPayload, recordingLog, recordingMetrics } from './queues.world.ts';

const shortJob = defineJob({
  ...ingestItemJob,
  name: 'short-lived',
  timeoutMs: 50,
  retry: { attempts: 1, backoffMs: 0 },
});

const retriedJob = defineJob({
  ...ingestItemJob,
  name: 'retried',
  retry: { attempts: 3, backoffMs: 1 },
});

describe.each(queueBackends())('queues on %s', (kind) => {
  const cleanups: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) {
      await cleanup();
    }
  });

  async function setup() {
    const { config, dispose } = await freshBackend(kind);
    const log = recordingLog();
    const metrics = recordingMetrics();
    const publisher = openPublisher(config, { log });
    cleanups.push(dispose, () => publisher.close());
    return {
      config,
      log,
      metrics,
      publisher,
      consume: (...handlers: Parameters<typeof openConsumer>[2]) => {
        const consumer = openConsumer(config, { log, metrics }, handlers);
        cleanups.push(() => consumer.close({ drainMs: 1_000 }));
        return consumer;
      },
    };
  }

  test('a published job reaches its handler, parsed', async () => {
    const { publisher, consume, metrics } = await setup();
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

  test('a job that is published first overtakes those that wait', async () => {
    const { publisher, consume } = await setup();
    const waiting = [1, 2, 3].map((attempt) => ({ ...placeCallPayload(), attempt }));
    await publisher.publishMany(placeCallJob, waiting);
    await publisher.publish(placeCallJob, { ...placeCallPayload(), attempt: 9 }, { first: true });
    const order: number[] = [];
    const all = countdown(4);
    consume(
      onJob({
        job: placeCallJob,
        concurrency: 1,
        async handle({ attempt }) {
          order.push(attempt);
          all.tick();
        },
      }),
    );
    await all.reached;
    expect(order).toEqual([9, 1, 2, 3]);
  });

  test('advances of one campaign that are published while none is active collapse into one', async () => {
    const { publisher, consume } = await setup();
    const campaignId = randomUUID();
    await Promise.all(
      Array.from({ length: 100 }, () => publisher.publish(advanceCampaignJob, { campaign_id: campaignId })),
    );
    const other = randomUUID();
    await publisher.publish(advanceCampaignJob, { campaign_id: other });
    const runs: string[] = [];
    const done = countdown(1);
    consume(
      onJob({
        job: advanceCampaignJob,
        concurrency: 1,
        async handle({ campaign_id: id }) {
          runs.push(id);
          if (id === other) {
            done.tick();
          }
        },
      }),
    );
    await done.reached;
    expect(runs).toEqual([campaignId, other]);
  });

  test('an advance that is published while its twin is active runs once after it', async () => {
    const { publisher, consume } = await setup();
    const campaignId = randomUUID();
    const entered = countdown(1);
    const leave = Promise.withResolvers<void>();
    const second = countdown(2);
    let active = 0;
    let runs = 0;
    let mostActive = 0;
    consume(
      onJob({
        job: advanceCampaignJob,
        concurrency: 10,
        async handle() {
          runs += 1;
          active += 1;
          mostActive = Math.max(mostActive, active);
          entered.tick();
          await leave.promise;
          active -= 1;
          second.tick();
        },
      }),
    );
    await publisher.publish(advanceCampaignJob, { campaign_id: campaignId });
    await entered.reached;
    await Promise.all(
      Array.from({ length: 20 }, () => publisher.publish(advanceCampaignJob, { campaign_id: campaignId })),
    );
    expect(runs).toBe(1);
    leave.resolve();
    await second.reached;
    // A third run, had there been one, would come before this job of the same queue.
    await publisher.publish(advanceCampaignJob, { campaign_id: randomUUID() });
    await eventually(() => runs >= 3);
    expect(runs).toBe(3);
    expect(mostActive).toBe(1);
  });

  test('no advance is lost, whenever it is published', async () => {
    const { publisher, consume } = await setup();
    const campaignId = randomUUID();
    let written = 0;
    let seen = 0;
    consume(
      onJob({
        job: advanceCampaignJob,
        concurrency: 4,
        async handle() {
          const found = written;
          // The run goes on after it has looked: what is published now must be seen by another run.
          await new Promise((resolve) => setImmediate(resolve));
          seen = Math.max(seen, found);
        },
      }),
    );
    for (let round = 0; round < 300; round += 1) {
      written += 1;
      const published = publisher.publish(advanceCampaignJob, { campaign_id: campaignId });
      if (round % 3 === 0) {
        await published;
      }
      if (round % 50 === 49) {
        await published;
        const upTo = written;
        await eventually(() => seen >= upTo);
      }
    }
    expect(seen).toBe(300);
  });

  test('an invalid payload is refused by the publisher, and fails at once in the consumer', async () => {
    const { config, publisher, consume, log, metrics } = await setup();
    await expect(publisher.publish(ingestItemJob, { item_id: 'not-a-uuid' })).rejects.toThrow(
      InvalidJobPayloadError,
    );
    const ops = openQueues(config, { log });
    cleanups.push(() => ops.close());
    const queue = ops.queues.find(({ name }) => name === ingestItemJob.name);
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

  test('a handler that outlives its time is aborted, its job fails and its slot is free', async () => {
    const { publisher, consume, log, metrics } = await setup();
    const reasons: unknown[] = [];
    const all = countdown(2);
    consume(
      onJob({
        job: shortJob,
        concurrency: 1,
        handle(_payload, { signal }) {
          signal.addEventListener('abort', () => {
            reasons.push(signal.reason);
            all.tick();
          });
          // Never ends: a handler that ignores its signal.
          return new Promise<void>(() => undefined);
        },
      }),
    );
    await publisher.publish(shortJob, { item_id: randomUUID() });
    await publisher.publish(shortJob, { item_id: randomUUID() });
    await all.reached;
    expect(reasons).toEqual([
      expect.objectContaining({ code: 'job_timeout' }),
      expect.objectContaining({ code: 'job_timeout' }),
    ]);
    await eventually(() => metrics.results.length === 2);
    expect(metrics.results).toEqual(['short-lived timed_out', 'short-lived timed_out']);
    const [line] = log.lines;
    expect(line).toMatchObject({
      level: 'error',
      fields: { job: 'short-lived', attempt: 1 },
    });
  });

  test('a failed job is run again as often as it says, under the same id', async () => {
    const { publisher, consume } = await setup();
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

  test('a consumer that closes ends its active job first and takes no other', async () => {
    const { publisher, consume } = await setup();
    const entered = countdown(1);
    const leave = Promise.withResolvers<void>();
    let ended = 0;
    const consumer = consume(
      onJob({
        job: placeCallJob,
        concurrency: 1,
        async handle() {
          entered.tick();
          await leave.promise;
          ended += 1;
        },
      }),
    );
    await publisher.publishMany(placeCallJob, [placeCallPayload(), placeCallPayload()]);
    await entered.reached;
    const closed = consumer.close({ drainMs: 5_000 });
    leave.resolve();
    await closed;
    expect(ended).toBe(1);
  });

  test('a job that does not end in the time to drain is aborted', async () => {
    const { publisher, consume, metrics } = await setup();
    const entered = countdown(1);
    const consumer = consume(
      onJob({
        job: placeCallJob,
        concurrency: 1,
        handle(_payload, { signal }) {
          entered.tick();
          return new Promise<void>((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(new Error('stopped')));
          });
        },
      }),
    );
    await publisher.publish(placeCallJob, placeCallPayload());
    await entered.reached;
    await consumer.close({ drainMs: 20 });
    expect(metrics.results).toEqual(['place-call failed']);
  });

  test('finished jobs are kept in bounded number', async () => {
    const { config, publisher, consume, log } = await setup();
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
    const ops = openQueues(config, { log });
    cleanups.push(() => ops.close());
    const queue = ops.queues.find(({ name }) => name === placeCallJob.name);
    await eventually(async () => (await queue?.getActiveCount()) === 0);
    expect(await queue?.getCompletedCount()).toBeLessThanOrEqual(40);
  });
});
