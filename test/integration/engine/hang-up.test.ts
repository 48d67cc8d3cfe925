import { findCampaignProgress } from '@outdial/db';
import { expect, test } from 'vitest';
import { anyBackend } from '../../support/queues.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { callsOver, phoneNumbers, runCampaign } from './campaign.ts';

const long = { simulator: { talkMs: 600_000 } };

test('a campaign that is canceled with hang_up ends its calls in progress', async () => {
  const stack = await useStack({ backend: anyBackend(), ...long });
  const organization = await stack.organization();
  const campaign = await runCampaign(
    stack,
    organization,
    { phone_numbers: phoneNumbers(6) },
    { max_concurrent_calls: 3 },
  );
  await campaign.dialed(3);
  await organization.clients.manager.cancelAndHangUp(campaign.id);
  await callsOver(stack);
  expect((await campaign.dials()).length).toBe(3);
  const rows = await stack.db.selectFrom('calls').select(['outcome', 'external_status']).execute();
  expect(rows).toEqual(
    Array.from({ length: 3 }, () => ({ outcome: 'completed', external_status: 'hung_up' })),
  );
});

test('one recipient is withdrawn with its call, and the others continue', async () => {
  const stack = await useStack({ backend: anyBackend(), ...long });
  const organization = await stack.organization();
  const numbers = phoneNumbers(2);
  const campaign = await runCampaign(stack, organization, { phone_numbers: numbers });
  await campaign.dialed(2);
  const rows = stack.db
    .selectFrom('campaign_recipients')
    .select(['id', 'state'])
    .where('campaign_id', '=', campaign.id)
    .orderBy('position');
  const [row] = await rows.execute();
  const { manager } = organization.clients;
  const withdraw = (hangUp: boolean) => manager.withdrawRecipient(campaign.id, row?.id ?? '', { hangUp });
  expect((await withdraw(false)).state).toBe('in_call');
  const key = { organizationId: organization.id, campaignId: campaign.id };
  expect((await findCampaignProgress(stack.db, key))?.recipients.in_call).toBe(2);
  await withdraw(true);
  await waitFor('its call to end', async () => {
    const progress = await findCampaignProgress(stack.db, key);
    return progress?.recipients.in_call === 1;
  });
  expect((await rows.execute())[0]?.state).not.toBe('dialing');
  await manager.cancelAndHangUp(campaign.id);
  await callsOver(stack);
});

test('a call is hung up once; a call that waits for its line is never placed', async () => {
  const stack = await useStack({ backend: anyBackend(), ...long });
  const { clients, agentId } = await stack.organization({ max_lines: 1 });
  const { id } = await clients.member.makeCall(agentId, { to_phone: '+15551230000' });
  const callId = id ?? '';
  await waitFor(
    'the call to be answered',
    async () => (await clients.viewer.readCall(callId)).status === 'start',
  );
  const waiting = await clients.member.makeCall(agentId, { to_phone: '+15551230001' });
  expect(await clients.member.hangUp(waiting.id ?? '')).toMatchObject({
    status: 'other',
    meta: { outcome: 'canceled' },
  });
  expect(await clients.member.hangUp(callId)).toMatchObject({ id: callId });
  await callsOver(stack);
  expect(await clients.viewer.readCall(callId)).toMatchObject({
    status: 'finish',
    external_last_status: 'hung_up',
  });
  for (const over of [callId, waiting.id ?? '']) {
    await expect(clients.member.hangUp(over)).rejects.toMatchObject({ status: 409, code: 'call_ended' });
  }
});
