import { advanceCampaignJob } from '@outdial/contracts';
import { addSuppressions } from '@outdial/db';
import { describe, expect, test } from 'vitest';
import { engineBackends } from '../../support/queues.ts';
import { linesInUse } from '../../support/stack/campaign-watch.ts';
import type { TestOrganization } from '../../support/stack/organization.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { phoneNumbers, recipientsOf, runCampaign } from './campaign.ts';

const numbers = phoneNumbers(2);

interface Change {
  title: string;
  state: string;
  happens: (stack: Stack, world: { campaignId: string; organization: TestOrganization }) => Promise<unknown>;
}

/** Changes that come while the people are due, before a worker has dialed them. */
const changes: readonly Change[] = [
  {
    title: 'a pause',
    state: 'pending',
    happens: (_, { campaignId, organization }) =>
      organization.clients.manager.setStatus(campaignId, 'paused'),
  },
  {
    title: 'a cancel',
    state: 'withdrawn',
    happens: (_, { campaignId, organization }) =>
      organization.clients.manager.setStatus(campaignId, 'canceled'),
  },
  {
    title: 'an entry of the suppression list',
    state: 'suppressed',
    happens: ({ db }, { organization }) =>
      addSuppressions(db, {
        organizationId: organization.id,
        suppressions: numbers.map((phoneNumber) => ({ phoneNumber, reason: null })),
      }),
  },
  {
    title: 'the end of the window',
    state: 'pending',
    happens: ({ clock }) => clock.set('2027-03-01T09:00:10-05:00'),
  },
];

describe.each(engineBackends())('before the dial, queues on %s', (backend) => {
  test.each(changes)('$title: no dial, no attempt, no line', async ({ happens, state }) => {
    const stack = await useStack({
      backend,
      workers: 0,
      schedulers: 0,
      startAt: '2027-03-01T09:00:00-05:00',
    });
    const organization = await stack.organization();
    const campaign = await runCampaign(stack, organization, {
      phone_numbers: [...numbers],
      end_time: '09:00:10',
    });
    await happens(stack, { campaignId: campaign.id, organization });
    stack.startWorker();
    await stack.jobsDone();
    const { rows } = await waitFor('every recipient to be settled', async () => {
      const settled = await recipientsOf(stack, campaign.id);
      const recipients = Object.values(settled);
      return recipients.every((recipient) => recipient.state === state) && { rows: recipients };
    });
    expect(rows).toEqual(numbers.map(() => ({ state, attempts: 0, outcome: null })));
    expect(await campaign.dials()).toEqual([]);
    expect(await linesInUse(stack.db)).toBe(0);
  });

  test('jobs that come twice dial nobody twice', async () => {
    const stack = await useStack({ backend, workers: 0, schedulers: 0 });
    const campaign = await runCampaign(stack, await stack.organization(), { phone_numbers: [...numbers] });
    const job = { campaign_id: campaign.id };
    for (let n = 0; n < 3; n++) await stack.control.publisher.publish(advanceCampaignJob, job);
    stack.startWorker();
    stack.startWorker();
    await campaign.finished();
    expect((await campaign.dials()).map((dial) => dial.phone).toSorted()).toEqual(numbers);
  });
});
