import { randomUUID } from 'node:crypto';
import { advanceCampaignJob } from '@outdial/contracts';
import { afterEach, describe, expect, test } from 'vitest';
import { queueBackends } from '../support/queues.ts';
import { openWired } from './queues.wired.ts';
import { eventually } from './queues.world.ts';

const cleanups: Array<() => Promise<void>> = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) {
    await cleanup();
  }
});

// A separate file, which runs concurrently with others, because the silence has to exceed every normal one.
describe.runIf(queueBackends().includes('redis'))(
  'a connection to Redis that went dead without being closed',
  () => {
    test('is detected and replaced', async () => {
      const { wire, publisher, handled, roundTrip } = await openWired(
        'redis',
        (...added) => void cleanups.push(...added),
      );
      await roundTrip();
      wire.freeze();
      const campaignId = randomUUID();
      await eventually(() =>
        publisher.publish(advanceCampaignJob, { campaign_id: campaignId }).then(
          () => true,
          () => false,
        ),
      );
      await eventually(() => handled.has(campaignId));
      expect(handled.has(campaignId)).toBe(true);
    });
  },
);
