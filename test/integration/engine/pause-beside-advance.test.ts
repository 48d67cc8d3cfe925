import {
  inTransaction,
  lockCampaign,
  openAdvances,
  savePlans,
  wakeCampaign,
  writeCampaignStatus,
} from '@outdial/db';
import { expect, test } from 'vitest';
import { campaignByHand, overlapping } from './by-hand.ts';

test('a pause that meets an advance waits for it, and neither has to be run again', async () => {
  const { stack, organization, campaignId, manager } = await campaignByHand();
  const now = await stack.clock.now();
  const runs = { advance: 0, pause: 0 };
  await overlapping(
    stack.db,
    async (tx) => {
      runs.advance += 1;
      await openAdvances(tx, [campaignId], { waits: true });
      await wakeCampaign(tx, campaignId, now);
    },
    () =>
      inTransaction(stack.db, async (tx) => {
        runs.pause += 1;
        await lockCampaign(tx, { organizationId: organization.id, campaignId });
        await writeCampaignStatus(tx, { campaignId, status: 'paused', now });
      }),
    // On the second change of a row in a transaction, Postgres checks its foreign keys.
    (tx) => {
      const plan = { wakeAt: null, nextDialAt: null, waitingFor: 'window' } as const;
      return savePlans(tx, [{ ...plan, campaignId, dialed: 0 }], now);
    },
  );
  expect(runs).toEqual({ advance: 1, pause: 1 });
  expect((await manager.readDialing(campaignId))?.waitingFor ?? null).toBeNull();
});
