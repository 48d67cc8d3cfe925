import { inTransaction, refuseRecipients } from '@outdial/db';
import { expect, test } from 'vitest';
import { anyBackend } from '../../support/queues.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { wakeStrandedCampaigns } from '@outdial/engine';
import { campaignByHand } from './by-hand.ts';
import { dialNow, phoneNumbers, runCampaign } from './campaign.ts';

test('a campaign with calls per second continues after the clock is set back by an hour', async () => {
  const stack = await useStack({ backend: anyBackend(), workers: 0, schedulers: 0 });
  const { db, clock } = stack;
  const campaign = await runCampaign(
    stack,
    await stack.organization(),
    { phone_numbers: phoneNumbers(5), start_date: '2027-01-01T00:00:00Z' },
    { calls_per_second: 1, max_concurrent_calls: 5 },
  );
  await dialNow(stack, campaign.id);
  const plan = () =>
    db.selectFrom('campaign_runtime').select(['next_dial_at', 'waiting_for']).executeTakeFirstOrThrow();
  expect((await plan()).waiting_for).toBe('calls_per_second');
  expect(await wakeStrandedCampaigns(stack.control)).toMatchObject({ done: 0 });
  await clock.advance(-3_600_000);
  expect(await wakeStrandedCampaigns(stack.control)).toMatchObject({ done: 1 });
  // The gates that were counted lie an hour ahead.
  expect(await dialNow(stack, campaign.id)).toHaveLength(1);
  expect(Number((await plan()).next_dial_at) - Number(await clock.now())).toBeLessThan(2_000);
});

test('a recipient whom the gate refused is due as before if the clock is set back by an hour', async () => {
  const hand = await campaignByHand({}, { start_date: '2027-01-01T00:00:00Z' });
  const { stack, campaignId } = hand;
  const { id: recipientId, organization_id: organizationId } = await hand.recipient();
  const now = await stack.clock.now();
  const refusal = { reason: 'quota', now, callingKey: null, personFreeAt: null } as const;
  await inTransaction(stack.db, (tx) =>
    refuseRecipients(
      tx,
      { organizationId, campaignId },
      [{ recipientId, next: { state: 'pending', at: now }, refusal }],
      now,
    ),
  );
  await stack.clock.advance(-3_600_000);
  expect(await hand.dialAll()).toHaveLength(1);
});
