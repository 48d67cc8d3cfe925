import { randomUUID } from 'node:crypto';
import { advanceCampaignJob } from '@outdial/contracts';
import { onJob } from '@outdial/queues';
import { Redis } from 'ioredis';
import { describe, expect, onTestFinished, test } from 'vitest';
import { queueBackends, testRedis } from '../../support/queues.ts';
import { eventually } from '../queues.world.ts';
import { openTestQueues } from './test-queues.ts';

type Phase = 'waits' | 'runs';

/** Each look for stalled jobs, every three seconds, writes these keys, which expire or are deleted before the next one. */
const comesAndGoes = /:stalled(-check)?$/;

/** A job that waits or runs. `evict` deletes a key of its queue. */
async function jobInQueue(redis: Redis, phase: Phase) {
  const { config, publisher, consume } = await openTestQueues('redis');
  if (config.kind !== 'redis') throw new Error('not on Redis');
  const payload = { campaign_id: randomUUID() };
  const held = Promise.withResolvers<void>();
  let handled = 0;
  const open = () =>
    consume(
      onJob({
        job: advanceCampaignJob,
        concurrency: 1,
        async handle() {
          handled += 1;
          await held.promise;
        },
      }),
    );
  const publish = () => publisher.publish(advanceCampaignJob, payload);
  await publish();
  if (phase === 'runs') {
    open();
    await eventually(() => handled === 1);
  }
  const keys = await redis.keys(`{${config.prefix ?? ''}:*`);
  // The same key in each of these queues.
  const nameOf = (key: string) =>
    key
      .slice(key.indexOf('}'))
      .replace(payload.campaign_id, 'campaign')
      .replace(/[\da-f]{8}-[\da-f-]{27}/, 'job');
  return {
    names: keys.map(nameOf),
    async evict(name: string) {
      const found = keys.filter((key) => nameOf(key) === name);
      return found.length === 0 ? 0 : redis.del(...found);
    },
    /** Publishes the job until it is handled once more, as sweeps do. */
    async isHandledAgain() {
      const before = handled;
      held.resolve();
      if (phase === 'waits') open();
      await eventually(async () => {
        if (handled > before) return true;
        await publish();
        return handled > before;
      });
    },
  };
}

describe.runIf(queueBackends().includes('redis'))('a Redis that evicts keys', () => {
  test.each<Phase>(['waits', 'runs'])(
    'whichever is lost while a job %s, the same job can be handled again',
    async (phase) => {
      const redis = new Redis(testRedis().url);
      onTestFinished(() => redis.disconnect());
      const { names } = await jobInQueue(redis, phase);
      expect(names.length).toBeGreaterThan(5);
      await Promise.all(
        names.map(async (name) => {
          const one = await jobInQueue(redis, phase);
          const evicted = await one.evict(name);
          expect(comesAndGoes.test(name) ? 1 : evicted).toBe(1);
          await one.isHandledAgain().catch((error: unknown) => {
            throw new Error(`without ${name}`, { cause: error });
          });
        }),
      );
    },
  );
});
