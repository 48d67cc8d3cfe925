import { findClaimProvider, lockPace, inTransaction, saveClaimSlot, saveNextSlots } from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { allotPaces } from './pace.ts';

/** Gives a claim that missed its slot the next free one. False if none is free within the horizon, or the claim was replaced. */
export async function giveClaimNewSlot(
  deps: Pick<ControlDeps, 'db'>,
  claim: { organizationId: string; campaignId: string; recipientId: string; claimId: string },
): Promise<boolean> {
  return inTransaction(deps.db, async (tx) => {
    const provider = await findClaimProvider(tx, claim);
    if (provider === null) return false;
    const pace = await lockPace(tx, { campaignId: claim.campaignId, provider });
    const allotment = allotPaces({ ...pace, want: 1 });
    if (allotment === null) {
      await saveClaimSlot(tx, { ...claim, slotAt: null });
      return true;
    }
    const [slotAt] = allotment.slots;
    if (slotAt === undefined) return false;
    await saveClaimSlot(tx, { ...claim, slotAt });
    await saveNextSlots(tx, { campaignId: claim.campaignId, provider, ...allotment.next });
    return true;
  });
}
