import { placeCallJob } from '@outdial/contracts';
import { addSuppressions, engineNow, inTransaction, writeCampaignStatus } from '@outdial/db';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { engineBackends } from '../../support/queues.ts';
import { linesInUse, recipientStates } from '../../support/stack/campaign-watch.ts';
import type { TestOrganization } from '../../support/stack/organization.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { claimDue, phoneNumbers, recipientsOf, runCampaign } from './campaign.ts';

const numbers = phoneNumbers(2);

interface Change {
  title: string;
  state: string;
  happens: (stack: Stack, world: { campaignId: string; organization: TestOrganization }) => Promise<unknown>;
}

/** Changes between a claim and its gate. */
const changes: readonly Change[] = [
  {
    title: 'a pause that has not given the claims back yet',
    state: 'pending',
    happens: ({ db }, { campaignId }) =>
      inTransaction(db, async (tx) =>
        writeCampaignStatus(tx, { campaignId, status: 'paused', now: await engineNow(tx) }),
      ),
  },
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
  {
    title: 'the withdrawal of the number',
    state: 'withdrawn',
    happens: ({ db }) =>
      sql`update campaign_recipients set withdrawn_at = engine_now() where state = 'claimed'`.execute(db),
  },
];

describe.each(engineBackends())('between a claim and its gate, queues on %s', (backend) => {
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
    await claimDue(stack, campaign.id);
    expect(await recipientStates(stack.db, campaign.id)).toEqual({ claimed: 2 });
    await happens(stack, { campaignId: campaign.id, organization });
    stack.startWorker();
    await stack.jobsDone();
    const { rows } = await waitFor('every claim to be settled', async () => {
      const settled = await recipientsOf(stack, campaign.id);
      const recipients = Object.values(settled);
      return recipients.every((recipient) => recipient.state === state) && { rows: recipients };
    });
    expect(rows).toEqual(numbers.map(() => ({ state, attempts: 0, outcome: null })));
    expect(await campaign.dials()).toEqual([]);
    expect(await linesInUse(stack.db)).toBe(0);
  });

  test('the end of the lease: the claim comes back, and is dialed under another', async () => {
    const stack = await useStack({ backend, workers: 0, schedulers: 0 });
    const campaign = await runCampaign(stack, await stack.organization(), { phone_numbers: [...numbers] });
    await claimDue(stack, campaign.id);
    const expired = (await stack.db.selectFrom('campaign_recipients').select('claim_id').execute()).map(
      (row) => row.claim_id,
    );
    await stack.clock.advance(31_000);
    stack.startWorker();
    await campaign.finished();
    const dials = await campaign.dials();
    expect(dials.map((dial) => dial.phone).toSorted()).toEqual(numbers);
    expect(dials.filter((dial) => expired.includes(dial.callId))).toEqual([]);
  });

  test('a job that comes twice, or after the release of its claim, does not dial', async () => {
    const stack = await useStack({ backend, workers: 0, schedulers: 0 });
    const campaign = await runCampaign(stack, await stack.organization(), { phone_numbers: [...numbers] });
    const claimIds = async () =>
      (
        await stack.db
          .selectFrom('campaign_recipients')
          .select(['organization_id', 'id', 'claim_id'])
          .where('campaign_id', '=', campaign.id)
          .execute()
      ).map((row) => ({
        recipient_id: row.id,
        claim_id: row.claim_id ?? '',
        attempt: 1,
        campaign_id: campaign.id,
        organization_id: row.organization_id,
      }));
    await claimDue(stack, campaign.id);
    const old = await claimIds();
    await sql`update campaign_recipients set claim_id = new_id() where state = 'claimed'`.execute(stack.db);
    const live = await claimIds();
    await stack.emptyQueues();
    await stack.control.publisher.publishMany(placeCallJob, [...old, ...live, ...live, ...old]);
    stack.startWorker();
    await campaign.finished();
    const dials = await campaign.dials();
    expect(dials.map((dial) => dial.callId).toSorted()).toEqual(live.map((one) => one.claim_id).toSorted());
  });
});
