import { inTransaction, refuseRecipients } from '@outdial/db';
import { expect, test } from 'vitest';
import { campaignByHand } from './by-hand.ts';

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
