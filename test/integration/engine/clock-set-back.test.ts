import { inTransaction, returnClaims } from '@outdial/db';
import { expect, test } from 'vitest';
import { anyBackend } from '../../support/queues.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { wakeStrandedCampaigns } from '@outdial/engine';
import { campaignByHand } from './by-hand.ts';
import { claimDue, phoneNumbers, runCampaign } from './campaign.ts';

test('a campaign with calls per second continues after the clock is set back by an hour', async () => {
  const stack = await useStack({ backend: anyBackend(), workers: 0, schedulers: 0 });
  const { db, clock } = stack;
  const campaign = await runCampaign(
    stack,
    await stack.organization(),
    { phone_numbers: phoneNumbers(5), start_date: '2027-01-01T00:00:00Z' },
    { calls_per_second: 1, max_concurrent_calls: 5 },
  );
  await claimDue(stack, campaign.id);
  const plan = () =>
    db.selectFrom('campaign_runtime').select(['next_dial_at', 'waiting_for']).executeTakeFirstOrThrow();
  expect((await plan()).waiting_for).toBe('calls_per_second');
  expect(await wakeStrandedCampaigns(stack.control)).toMatchObject({ done: 0 });
  await clock.advance(-3_600_000);
  expect(await wakeStrandedCampaigns(stack.control)).toMatchObject({ done: 1 });
  // The slots are unchanged, an hour ahead. The next one is at most a second away.
  await claimDue(stack, campaign.id);
  expect(Number((await plan()).next_dial_at) - Number(await clock.now())).toBeLessThan(2_000);
  await waitFor('the next slot', async () => {
    await claimDue(stack, campaign.id);
    const rows = await db
      .selectFrom('campaign_recipients')
      .select('slot_at')
      .where('state', '=', 'claimed')
      .execute();
    const now = Number(await clock.now());
    return rows.some((row) => row.slot_at !== null && Number(row.slot_at) < now + 2_000);
  });
});

test('a recipient whose claim was released is due as before if the clock is set back by an hour', async () => {
  const hand = await campaignByHand({}, { start_date: '2027-01-01T00:00:00Z' });
  const { stack, campaignId } = hand;
  await hand.claim();
  const { id: recipientId, organization_id: organizationId, claim_id } = await hand.recipient();
  const now = await stack.clock.now();
  const back = { organizationId, campaignId, recipientId, claimId: claim_id ?? '' };
  await inTransaction(stack.db, (tx) =>
    returnClaims(tx, [{ ...back, next: { state: 'pending', at: now } }], now),
  );
  expect((await hand.recipient()).state).toBe('pending');
  await stack.clock.advance(-3_600_000);
  await hand.claim();
  expect((await hand.recipient()).state).toBe('claimed');
});
