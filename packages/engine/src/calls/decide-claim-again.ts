import {
  type GateRefusal,
  inTransaction,
  loadCampaignDefinition,
  lockLineCaps,
  replanRecipients,
  returnClaims,
  shareCampaignOfId,
} from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { enqueueLineWaiters } from '../enqueue.ts';

/**
 * Releases a claim whose recipient may not be dialed now under the current rules. The retry rule decides from the recipient's last
 * call what happens instead: a later attempt, a new round, or none.
 */
export async function decideClaimAgain(
  deps: ControlDeps,
  claim: { organizationId: string; campaignId: string; recipientId: string; claimId: string },
  refusal: GateRefusal,
): Promise<void> {
  const { campaignId, recipientId } = claim;
  const { now } = refusal;
  const waiters = await inTransaction(deps.db, async (tx) => {
    await lockLineCaps(tx);
    await shareCampaignOfId(tx, campaignId);
    const due = { state: 'pending' as const, at: now };
    const { returned, lineWaiters } = await returnClaims(tx, [{ ...claim, next: due, refusal }], now);
    const definition = await loadCampaignDefinition(tx, campaignId);
    if (returned > 0 && definition) {
      await replanRecipients(tx, definition, { kind: 'these', recipientIds: [recipientId] }, now);
    }
    return lineWaiters;
  });
  await enqueueLineWaiters(deps, { ...waiters, campaignIds: [...waiters.campaignIds, campaignId] });
}
