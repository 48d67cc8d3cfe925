import {
  findDue,
  findWithdrawingCampaigns,
  inTransaction,
  pauseCampaign,
  recordCampaignFailure,
  refuseRecipients,
} from '@outdial/db';
import { bringInstantsBack, placeDirectCall, retryQueuedCalls } from '@outdial/engine';
import { expect, test } from 'vitest';
import { engineInStep, withCarrier } from '../../compliance/campaign/engine-in-step.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { campaignByHand, noProcesses } from './by-hand.ts';

const hourMs = 3_600_000;
const mayHaveWork = async (db: Parameters<typeof findDue>[0]) =>
  (await findDue(db, ['bring-instants-back'])).size === 1;

test('a recipient whom the gate refused is due as before if the clock is set back by an hour', async () => {
  const hand = await campaignByHand({}, { start_date: '2027-01-01T00:00:00Z' });
  const { stack, campaignId } = hand;
  const { id: recipientId, organization_id: organizationId } = await hand.recipient();
  const now = await stack.clock.now();
  const refusal = { reason: 'quota', now, calling_key: null, person_free_at: null } as const;
  await inTransaction(stack.db, (tx) =>
    refuseRecipients(
      tx,
      { organizationId, campaignId },
      [{ recipientId, next: { state: 'pending', at: now }, refusal }],
      now,
    ),
  );
  await stack.clock.advance(-hourMs);
  expect(await hand.dialAll()).toHaveLength(1);
});

test('a direct call that its provider deferred is tried when it is due if the clock is set back by an hour', async () => {
  const stack = await useStack(noProcesses);
  await stack.clock.stop();
  const organization = await stack.organization();
  const engine = engineInStep(stack);
  const { deps } = engine;
  const deferring = withCarrier(engine, {
    place: () => Promise.resolve({ kind: 'defer', retryAfterMs: 30_000, reason: 'busy' }),
  });
  const { id } = await organization.clients.member.makeCall(organization.agentId, {
    to_phone: '+15551230000',
  });
  const callId = id ?? '';
  expect(await placeDirectCall(deferring, callId)).toMatchObject({ sent: 'deferred' });
  await stack.db.updateTable('providers').set({ closed_until: null, calls_per_second: 1 }).execute();
  await stack.clock.advance(-hourMs);
  expect(await retryQueuedCalls(deps)).toMatchObject({ done: 0 });
  expect(await mayHaveWork(stack.db)).toBe(true);
  await bringInstantsBack(stack.control);
  expect(await retryQueuedCalls(deps)).toMatchObject({ done: 1 });
  expect(await placeDirectCall(deps, callId)).toMatchObject({ sent: 'accepted' });
});

test('a campaign that waits for a fault of its agent dials as before if the clock is set back by an hour', async () => {
  const hand = await campaignByHand({}, { start_date: '2027-01-01T00:00:00Z' });
  const { db, clock, control } = hand.stack;
  await pauseCampaign(db, { campaignId: hand.campaignId, error: 'correct the agent', forMs: 30_000 });
  await clock.advance(-hourMs);
  expect(await hand.dialAll()).toEqual([]);
  expect(await mayHaveWork(db)).toBe(true);
  expect(await bringInstantsBack(control)).toMatchObject({ done: 1 });
  expect(await hand.dialAll()).toHaveLength(1);
});

test('a campaign that failed to withdraw its recipients goes on if the clock is set back by an hour', async () => {
  const { campaignId, manager, stack } = await campaignByHand();
  await manager.setStatus(campaignId, 'canceled');
  await recordCampaignFailure(stack.db, { campaignId, error: 'broken' });
  await stack.clock.advance(-hourMs);
  expect(await mayHaveWork(stack.db)).toBe(true);
  await bringInstantsBack(stack.control);
  expect(await findWithdrawingCampaigns(stack.db, 10)).toMatchObject([{ campaignId }]);
  const runtime = stack.db.selectFrom('campaign_runtime').select('wake_at');
  expect(await runtime.execute()).toEqual([{ wake_at: null }]);
});
