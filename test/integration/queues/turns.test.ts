import { randomUUID } from 'node:crypto';
import { advanceCampaignJob, withdrawRecipientsJob, type JobDefinition } from '@outdial/contracts';
import { onJob } from '@outdial/queues';
import { describe, expect, test } from 'vitest';
import { queueBackends } from '../../support/queues.ts';
import { countdown } from '../queues.world.ts';
import { openTestQueues } from './test-queues.ts';

const [many, one] = [randomUUID(), randomUUID()];
const jobsOfMany = 40;

const ofOrganization = [advanceCampaignJob, withdrawRecipientsJob].map((job: JobDefinition) => ({
  job,
  payload: (organization_id: string) => ({ campaign_id: randomUUID(), organization_id }),
}));

describe.each(queueBackends())('queues on %s', (kind) => {
  test.each(ofOrganization)(
    'a $job.name of an organization does not wait for forty that another one published before',
    async ({ job, payload }) => {
      const { publisher, consume } = await openTestQueues(kind);
      await publisher.publishMany(
        job,
        Array.from({ length: jobsOfMany }, () => payload(many)),
      );
      await publisher.publish(job, payload(one));
      const done = countdown(jobsOfMany + 1);
      const ran: unknown[] = [];
      consume(
        onJob({
          job,
          concurrency: 1,
          async handle(run) {
            ran.push(run['organization_id']);
            done.tick();
          },
        }),
      );
      await done.reached;
      expect(ran.indexOf(one)).toBeLessThan(3);
    },
  );
});
