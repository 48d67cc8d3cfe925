import { randomUUID } from 'node:crypto';
import { advanceCampaignJob } from '@outdial/contracts';
import { onJob } from '@outdial/queues';
import { describe, expect, test } from 'vitest';
import { queueBackends } from '../../support/queues.ts';
import { countdown, eventually } from '../queues.world.ts';
import { openTestQueues } from './test-queues.ts';

describe.each(queueBackends())('queues on %s', (kind) => {
  test('advances of one campaign that are published while none is active collapse into one', async () => {
    const { publisher, consume } = await openTestQueues(kind);
    const campaignId = randomUUID();
    // Not all at once: each has to be published within two seconds, and they share two connections.
    for (let batch = 0; batch < 10; batch += 1) {
      await Promise.all(
        Array.from({ length: 10 }, () => publisher.publish(advanceCampaignJob, { campaign_id: campaignId })),
      );
    }
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
    const { publisher, consume } = await openTestQueues(kind);
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
    // A third run would come before this job of the same queue.
    await publisher.publish(advanceCampaignJob, { campaign_id: randomUUID() });
    await eventually(() => runs >= 3);
    expect(runs).toBe(3);
    expect(mostActive).toBe(1);
  });

  test('no advance is lost, whenever it is published', async () => {
    const { publisher, consume } = await openTestQueues(kind);
    const campaignId = randomUUID();
    let written = 0;
    let seen = 0;
    consume(
      onJob({
        job: advanceCampaignJob,
        concurrency: 4,
        async handle() {
          const found = written;
          // The run has already queried, so a job that is published now must cause another run.
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
});
