import { randomUUID } from 'node:crypto';
import { defineJob, ingestItemJob, placeCallJob } from '@outdial/contracts';
import { onJob } from '@outdial/queues';
import { describe, expect, test } from 'vitest';
import { queueBackends } from '../../support/queues.ts';
import { countdown, eventually, placeCallPayload } from '../queues.world.ts';
import { openTestQueues } from './test-queues.ts';

const shortJob = defineJob({
  ...ingestItemJob,
  name: 'short-lived',
  timeoutMs: 50,
  retry: { attempts: 1, backoffMs: 0 },
  deduplicateBy: ({ item_id: itemId }) => itemId,
});

describe.each(queueBackends())('queues on %s', (kind) => {
  test('a handler that outlives its time is aborted, its job fails and its slot is free', async () => {
    const { publisher, consume, log, metrics } = await openTestQueues(kind);
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
          // A handler that never ends, because it ignores its signal.
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
    const [line] = log.lines.filter(({ level }) => level === 'error');
    expect(line).toMatchObject({
      level: 'error',
      fields: { job: 'short-lived', attempt: 1 },
    });
  });

  test('a job that disappeared from the queue ends without an error, and its worker continues', async () => {
    const { queues, publisher, consume, log, metrics } = await openTestQueues(kind);
    const entered = countdown(1);
    const leave = Promise.withResolvers<void>();
    consume(
      onJob({
        job: placeCallJob,
        concurrency: 1,
        async handle() {
          entered.tick();
          await leave.promise;
        },
      }),
    );
    await publisher.publish(placeCallJob, placeCallPayload());
    await entered.reached;
    await queues()
      .find(({ name }) => name === placeCallJob.name)
      ?.obliterate({ force: true });
    await eventually(() => log.lines.length > 0);
    leave.resolve();
    await publisher.publish(placeCallJob, placeCallPayload());
    await eventually(() => metrics.results.length === 2);
    expect(new Set(log.lines.map(({ level, message }) => `${level}: ${message}`))).toEqual(
      new Set(['warn: locks of jobs could not be renewed']),
    );
  });

  test('a consumer that closes ends its active job first and takes no other', async () => {
    const { publisher, consume } = await openTestQueues(kind);
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
    const { publisher, consume, metrics } = await openTestQueues(kind);
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
});
