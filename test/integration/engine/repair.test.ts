import {
  reconcileLineCounters,
  wakeStrandedCampaigns,
  withdrawForgottenRecipients,
  withdrawRecipients,
} from '@outdial/engine';
import { expect, test } from 'vitest';
import { anyBackend } from '../../support/queues.ts';
import { linesInUse } from '../../support/stack/campaign-watch.ts';
import { recordedDials } from '../../support/stack/dials.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { campaignByHand } from './by-hand.ts';
import { finishedWithoutScheduler, phoneNumbers, runCampaign } from './campaign.ts';

test('a running campaign that waits for calls which are over is woken, though its end is planned', async () => {
  const stack = await useStack({ backend: anyBackend(), schedulers: 0, workers: 0 });
  const organization = await stack.organization();
  const { id } = await runCampaign(stack, organization, { phone_numbers: phoneNumbers(1) });
  const plan = { wake_at: new Date('2099-01-01'), waiting_for: 'calls_in_progress' } as const;
  await stack.db.updateTable('campaign_runtime').set(plan).where('campaign_id', '=', id).execute();
  expect(await wakeStrandedCampaigns(stack.control)).toMatchObject({ done: 1 });
  expect(await wakeStrandedCampaigns(stack.control)).toMatchObject({ done: 0 });
});

test('a direct call gets a free line, though an earlier one waits for something else', async () => {
  const stack = await useStack({ backend: anyBackend(), simulator: { talkMs: 600_000 } });
  const organization = await stack.organization({ max_lines: 3 });
  const { member } = organization.clients;
  const call = (to_phone: string) => member.makeCall(organization.agentId, { to_phone });
  const isDialed = async (dialed: number) => (await recordedDials(stack.db)).length === dialed;
  await call('+15551110000');
  const ends = (await call('+15551110001')).id ?? '';
  await call('+15551110002');
  await waitFor('all lines in use', () => isDialed(3));
  // Waits for the end of the first one.
  await call('+15551110000');
  const after = (await call('+15551110003')).id;
  await waitFor('its refusal', () => stack.gateRefusals.get('organization_line') ?? 0);
  await member.hangUp(ends);
  await waitFor('the call after it to be dialed', () => isDialed(4));
  expect((await recordedDials(stack.db)).at(-1)?.callId).toBe(after);
});

test('a wrong line counter is corrected, and the campaign continues', async () => {
  // A scheduler may correct it before the campaign waits.
  const stack = await useStack({ backend: anyBackend(), schedulers: 0 });
  stack.log.expect(/line counters that disagreed/);
  const organization = await stack.organization({ max_lines: 2 });
  await stack.setProvider('simulator', { maxLines: 4 });
  await stack.db.updateTable('organizations').set({ lines_in_use: 2 }).execute();
  await stack.db.updateTable('providers').set({ lines_in_use: 3 }).execute();
  const campaign = await runCampaign(stack, organization, { phone_numbers: phoneNumbers(3) });
  const waiting = await waitFor('the campaign to wait for a line', async () => {
    const dialing = await organization.clients.viewer.readDialing(campaign.id);
    return dialing?.waitingFor !== null && dialing;
  });
  expect(waiting.waitingFor).toBe('organization_line');
  await reconcileLineCounters(stack.control);
  await finishedWithoutScheduler(stack, campaign);
  expect(await campaign.dials()).toHaveLength(3);
  expect(await linesInUse(stack.db)).toBe(0);
});

test('a recipient of a finished campaign that still waits is withdrawn, and reported', async () => {
  const hand = await campaignByHand();
  await hand.manager.setStatus(hand.campaignId, 'canceled');
  await withdrawRecipients(hand.stack.control, hand.campaignId);
  expect(await withdrawForgottenRecipients(hand.stack.control)).toMatchObject({ done: 0 });
  // A state that no code path of the engine produces.
  await hand.stack.db
    .updateTable('campaign_recipients')
    .set({ state: 'pending', withdrawn_at: null, next_attempt_at: await hand.stack.clock.now() })
    .execute();
  hand.stack.log.expect(/waiting recipients of campaigns that are over/);
  expect(await withdrawForgottenRecipients(hand.stack.control)).toMatchObject({ done: 1 });
  await withdrawRecipients(hand.stack.control, hand.campaignId);
  expect(await hand.recipient()).toMatchObject({ state: 'withdrawn' });
});
