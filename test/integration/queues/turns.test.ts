import { randomUUID } from 'node:crypto';
import {
  advanceCampaignJob,
  placeCallJob,
  withdrawRecipientsJob,
  type JobDefinition,
} from '@outdial/contracts';
import { onJob } from '@outdial/queues';
import { describe, expect, test } from 'vitest';
import { queueBackends } from '../../support/queues.ts';
import { countdown } from '../queues.world.ts';
import { openTestQueues } from './test-queues.ts';

const [many, one] = [randomUUID(), randomUUID()];
const jobsOfMany = 40;

const ofOrganization: ReadonlyArray<{
  job: JobDefinition;
  payload: (organization_id: string) => Record<string, string | number>;
}> = [
  ...[advanceCampaignJob, withdrawRecipientsJob].map((job) => ({
    job,
    payload: (organization_id: string) => ({ campaign_id: randomUUID(), organization_id }),
  })),
  {
    job: placeCallJob,
    payload: (organization_id) => ({
      recipient_id: randomUUID(),
      claim_id: randomUUID(),
      attempt: 1,
      campaign_id: randomUUID(),
      organization_id,
    }),
  },
];

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

  test('a direct call goes before the calls of campaigns', async () => {
    const { publisher, consume } = await openTestQueues(kind);
    const claim = () => ({ claim_id: randomUUID(), attempt: 1, organization_id: many });
    await publisher.publishMany(
      placeCallJob,
      Array.from({ length: 5 }, () => ({ ...claim(), recipient_id: randomUUID() })),
    );
    const callId = randomUUID();
    await publisher.publish(placeCallJob, { call_id: callId, claim_id: callId, attempt: 1 }, { first: true });
    const done = countdown(6);
    const ran: Array<string | undefined> = [];
    consume(
      onJob({
        job: placeCallJob,
        concurrency: 1,
        async handle({ call_id: id }) {
          ran.push(id);
          done.tick();
        },
      }),
    );
    await done.reached;
    expect(ran[0]).toBe(callId);
  });
});
