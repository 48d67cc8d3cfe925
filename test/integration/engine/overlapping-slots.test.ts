import { allotSlots, slotHorizonMs } from '@outdial/core';
import { lockCapacity, saveNextSlots } from '@outdial/db';
import { expect, test } from 'vitest';
import { campaignByHand } from './by-hand.ts';
import { phoneNumbers } from './campaign.ts';

test('an advance that waited for the provider’s row hands out no slot that was handed out meanwhile', async () => {
  const numbers = phoneNumbers(20);
  const hand = await campaignByHand({ max_concurrent_calls: 20 }, { phone_numbers: numbers });
  const { stack, campaignId } = hand;
  await stack.setProvider('simulator', { callsPerSecond: 10 });
  // Slots of the earlier pace are no longer used.
  await stack.clock.advance(400);
  const { organization_id: organizationId } = await hand.recipient();
  const slotsOfClaims = async () => {
    const rows = await stack.db.selectFrom('campaign_recipients').select('slot_at').execute();
    return rows.flatMap((row) => (row.slot_at === null ? [] : [row.slot_at.getTime()]));
  };

  // Other campaigns hand out all slots of the horizon twice, while this one waits with an earlier instant.
  let free = 0;
  await hand.overlapping(
    async (tx) => {
      await lockCapacity(tx, { organizationId, provider: 'simulator', campaignId, priority: 0 });
    },
    () => hand.claim(),
    async (tx) => {
      await stack.clock.advance(slotHorizonMs);
      const { now, provider } = await lockCapacity(tx, {
        organizationId,
        provider: 'simulator',
        campaignId,
        priority: 0,
      });
      const { nextSlotAt, slots } = allotSlots({
        now,
        horizonMs: slotHorizonMs,
        want: 20,
        lanes: [{ callsPerSecond: 10, nextSlotAt: provider.nextSlotAt, isShared: true }],
      });
      expect(slots.length).toBeGreaterThan(1);
      const [providerNextSlotAt = null] = nextSlotAt;
      free = Number(providerNextSlotAt);
      await saveNextSlots(tx, {
        campaignId: null,
        campaignNextSlotAt: null,
        provider: 'simulator',
        providerNextSlotAt,
      });
    },
  );
  expect((await slotsOfClaims()).filter((slot) => slot < free)).toEqual([]);

  await stack.clock.advance(slotHorizonMs);
  await hand.claim();
  expect((await slotsOfClaims()).length).toBeGreaterThan(0);
});
