import { inTransaction, updateOrganization, type OrganizationChange } from '@outdial/db';
import { findWaiting, wakeDueCampaigns } from '@outdial/engine';
import { expect, test } from 'vitest';
import { anyBackend } from '../../support/queues.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { callsOver, phoneNumbers, runCampaign } from './campaign.ts';

async function change(stack: Stack, organizationId: string, changes: OrganizationChange): Promise<void> {
  const now = await stack.clock.now();
  await inTransaction(stack.db, (tx) => updateOrganization(tx, organizationId, changes, now));
}

/** Waits until the campaign waits for the next day. While calls may be undone, it looks again every few seconds. */
const waitsForNextDay = (stack: Stack, organizationId: string, campaignId: string, nextDay: string) =>
  waitFor('the campaign to wait for the next day', async () => {
    const waiting = await findWaiting(stack.db, { organizationId, campaignIds: [campaignId] });
    const found = waiting.get(campaignId);
    return found?.waitingFor === 'quota' && found.detail?.until === nextDay;
  });

test('campaigns of an organization share its daily quota of calls, and dial the rest the next day', async () => {
  const stack = await useStack({ backend: anyBackend(), workers: 2, startAt: '2027-03-01T15:00:00Z' });
  const organization = await stack.organization({ max_calls_per_day: 7 });
  const [one, other] = [
    await runCampaign(stack, organization, { phone_numbers: phoneNumbers(9) }),
    await runCampaign(stack, organization, { phone_numbers: phoneNumbers(9, '00', '556') }),
  ];
  const dialed = async () => (await one.dials()).length + (await other.dials()).length;
  await waitFor('seven calls', async () => (await dialed()) === 7);
  await callsOver(stack);
  await stack.clock.set('2027-03-01T15:00:30Z');
  await wakeDueCampaigns(stack.control);
  await Promise.all(
    [one, other].map(({ id }) => waitsForNextDay(stack, organization.id, id, '2027-03-02T00:00:00.000Z')),
  );
  expect(await dialed()).toBe(7);
  await change(stack, organization.id, { max_calls_per_day: 10 });
  await wakeDueCampaigns(stack.control);
  await waitFor('three more', async () => (await dialed()) === 10);
  await stack.clock.set('2027-03-02T15:00:00Z');
  await waitFor('the next day', async () => (await dialed()) === 18);
});

test('the daily spend also stops campaigns', async () => {
  const stack = await useStack({ backend: anyBackend() });
  const organization = await stack.organization({ max_spend_per_day: 5 });
  const first = await runCampaign(stack, organization, { phone_numbers: phoneNumbers(1) });
  await first.finished();
  await stack.db.updateTable('calls').set({ cost: '5.00' }).execute();
  const second = await runCampaign(stack, organization, { phone_numbers: phoneNumbers(2, '00', '556') });
  await waitsForNextDay(stack, organization.id, second.id, '2027-03-02T00:00:00.000Z');
  expect(await second.dials()).toEqual([]);
});
