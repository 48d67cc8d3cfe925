import {
  addSuppressions,
  inTransaction,
  listRecipients,
  pauseCampaign,
  releaseLines,
  updateOrganization,
} from '@outdial/db';
import { findWaiting, recipientWaiting } from '@outdial/engine';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { anyBackend } from '../../support/queues.ts';
import { useFileStack } from '../../support/stack/use-stack.ts';
import { dialNow, phoneNumbers, runCampaign } from './campaign.ts';

const stack = await useFileStack({ backend: anyBackend(), workers: 0, schedulers: 0 });

const runtimeOf = (campaignId: string) =>
  stack.db
    .selectFrom('campaign_runtime')
    .selectAll()
    .where('campaign_id', '=', campaignId)
    .executeTakeFirstOrThrow();

test('a campaign finishes at once when the gate has refused everybody who was left', async () => {
  const organization = await stack.organization();
  const numbers = phoneNumbers(3);
  const campaign = await runCampaign(stack, organization, { phone_numbers: numbers });
  const suppressions = numbers.map((phoneNumber) => ({ phoneNumber, reason: null }));
  await addSuppressions(stack.db, { organizationId: organization.id, suppressions });
  expect(await dialNow(stack, campaign.id)).toEqual([]);
  const { status } = await stack.db
    .selectFrom('campaigns')
    .select('status')
    .where('id', '=', campaign.id)
    .executeTakeFirstOrThrow();
  expect(status).toBe('finished');
});

test('after a pause for a fault of its agent, a campaign tries one call, though the gate refused the first that it tried', async () => {
  const organization = await stack.organization();
  const numbers = phoneNumbers(4, '00', '561');
  const { id } = await runCampaign(stack, organization, { phone_numbers: numbers });
  const suppressions = numbers.slice(0, 1).map((phoneNumber) => ({ phoneNumber, reason: null }));
  await addSuppressions(stack.db, { organizationId: organization.id, suppressions });
  await pauseCampaign(stack.db, { campaignId: id, error: 'correct the agent', forMs: 30_000 });
  await stack.clock.advance(30_000);
  expect(await dialNow(stack, id)).toEqual([]);
  expect(await runtimeOf(id)).toMatchObject({ waiting_for: 'provider', last_error: 'correct the agent' });
  await stack.clock.advance(1_000);
  expect(await dialNow(stack, id)).toMatchObject([{ endsPause: true }]);
  // Woken again before the provider has answered.
  expect(await dialNow(stack, id)).toEqual([]);
  await stack.clock.advance(10_000);
  expect(await dialNow(stack, id)).toMatchObject([{ endsPause: true }]);
});

test('a pause for a fault of its agent outlasts what else a campaign waits for', async () => {
  const organization = await stack.organization();
  const { id } = await runCampaign(
    stack,
    organization,
    { phone_numbers: phoneNumbers(6, '00', '562') },
    { max_concurrent_calls: 2 },
  );
  expect(await dialNow(stack, id)).toHaveLength(2);
  await pauseCampaign(stack.db, { campaignId: id, error: 'correct the agent', forMs: 30_000 });
  await stack.clock.advance(30_000);
  expect(await dialNow(stack, id)).toEqual([]);
  expect(await runtimeOf(id)).toMatchObject({
    waiting_for: 'campaign_line',
    last_error: 'correct the agent',
  });
  await organization.clients.manager.setConfig(id, { max_concurrent_calls: 6 });
  expect(await dialNow(stack, id)).toMatchObject([{ endsPause: true }]);
});

test('a campaign says if the calling hours of those who are left never meet its window', async () => {
  const organization = await stack.organization();
  const { id: organizationId, clients } = organization;
  const now = await stack.clock.now();
  await inTransaction(stack.db, (tx) =>
    updateOrganization(tx, organizationId, { calling_policy: 'strict' }, now),
  );
  const [newYork, miami] = ['+12125550100', '+13055550100'];
  const { id: campaignId } = await runCampaign(stack, organization, {
    phone_numbers: [newYork, miami],
    start_time: '20:00',
    end_time: '21:00',
    additional_params: { timezone: 'America/New_York' },
  });
  expect(await clients.manager.readDialing(campaignId)).toMatchObject({ waitingFor: 'window' });
  const { id: recipientId } = await stack.db
    .selectFrom('campaign_recipients')
    .select('id')
    .where('campaign_id', '=', campaignId)
    .where('phone_number', '=', newYork)
    .executeTakeFirstOrThrow();
  await clients.manager.withdrawRecipient(campaignId, recipientId, { hangUp: false });
  expect(await dialNow(stack, campaignId)).toEqual([]);
  expect(await clients.manager.readDialing(campaignId)).toEqual({
    waitingFor: 'calling_hours',
    nextDialAt: null,
  });
  const waiting = (await findWaiting(stack.db, { organizationId, campaignIds: [campaignId] })).get(
    campaignId,
  );
  if (waiting === undefined) throw new Error('the campaign is gone');
  expect(waiting.detail?.message).toContain('never meet');
  const key = { organizationId, campaignId };
  const page = { limit: 5, after: null };
  const left = await listRecipients(stack.db, key, { filters: { phoneNumber: miami }, page });
  expect(left.map((one) => recipientWaiting(one, waiting))).toEqual([
    { nextAttemptAt: null, waitingFor: 'calling_hours' },
  ]);
  await clients.manager.setStatus(campaignId, 'paused');
  await expect(clients.manager.setStatus(campaignId, 'running')).rejects.toThrow(/never meet the window/);
});

test('a campaign with an end says so too if no rule ever allows a call to those who are left', async () => {
  const { clients, ...organization } = await stack.organization();
  const { id } = await runCampaign(
    stack,
    { clients, ...organization },
    { phone_numbers: phoneNumbers(1), end_date: '2027-06-01T00:00:00Z' },
  );
  await sql`update campaign_recipients set calling_key = 'strict:nowhere' where campaign_id = ${id}`.execute(
    stack.db,
  );
  await sql`update campaigns set calling_keys = '{strict:nowhere}', revision = revision + 1 where id = ${id}`.execute(
    stack.db,
  );
  expect(await dialNow(stack, id)).toEqual([]);
  expect(await clients.manager.readDialing(id)).toEqual({ waitingFor: 'calling_hours', nextDialAt: null });
  await clients.manager.setStatus(id, 'paused');
  await expect(clients.manager.setStatus(id, 'running')).rejects.toThrow(/never meet the window/);
});

test('a campaign that has no room in its pace passes on a line for which it was woken', async () => {
  const organization = await stack.organization({ max_lines: 2 });
  const slow = { calls_per_second: 1 / 60, priority: 2 };
  const [paced, held, waiting] = [
    await runCampaign(stack, organization, { phone_numbers: phoneNumbers(2) }, slow),
    await runCampaign(stack, organization, { phone_numbers: phoneNumbers(1, '00', '556') }),
    await runCampaign(stack, organization, { phone_numbers: phoneNumbers(1, '00', '557') }),
  ];
  for (const { id } of [paced, held]) expect(await dialNow(stack, id)).toHaveLength(1);
  for (const { id } of [paced, waiting]) {
    expect(await dialNow(stack, id)).toEqual([]);
    expect(await runtimeOf(id)).toMatchObject({ waiting_for: 'organization_line', wake_at: null });
  }
  const now = await stack.clock.now();
  const line = { organizationId: organization.id, campaignId: held.id, provider: 'simulator', count: 1 };
  const { lineWaiters } = await inTransaction(stack.db, (tx) =>
    releaseLines(tx, [line], new Date(now), { areCapped: true }),
  );
  expect(lineWaiters.campaignIds).toEqual([paced.id]);
  expect(await dialNow(stack, paced.id)).toEqual([]);
  expect((await runtimeOf(paced.id)).waiting_for).toBe('calls_per_second');
  expect((await runtimeOf(waiting.id)).wake_at).not.toBeNull();
  expect(await dialNow(stack, waiting.id)).toHaveLength(1);
});

test('campaigns do not wake each other for a line that belongs to a direct call, which waits for something else', async () => {
  const organization = await stack.organization({ max_lines: 2 });
  const [number = ''] = phoneNumbers(1, '00', '558');
  const held = await runCampaign(stack, organization, { phone_numbers: [number] });
  expect(await dialNow(stack, held.id)).toHaveLength(1);
  await organization.clients.member.makeCall(organization.agentId, { to_phone: number });
  const waiting = [
    await runCampaign(stack, organization, { phone_numbers: phoneNumbers(1, '00', '559') }),
    await runCampaign(stack, organization, { phone_numbers: phoneNumbers(1, '00', '560') }),
  ];
  for (const { id } of waiting) expect(await dialNow(stack, id)).toEqual([]);
  for (const { id } of waiting) {
    expect(await runtimeOf(id)).toMatchObject({ waiting_for: 'organization_line', wake_at: null });
  }
});
