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
 * Releases a claim that is no longer due under the current rules, and plans its recipient again from its last call.
 * @throws Error if the plan stays as it was, so that the placement fails and the recipient waits. It would be claimed and refused again at once.
 */
export async function replanClaim(
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
      const which = { kind: 'these', recipientIds: [recipientId] } as const;
      const changed = await replanRecipients(tx, definition, which, now);
      if (changed === 0) throw new Error('the gate refused an attempt that the rules allow');
    }
    return lineWaiters;
  });
  await enqueueLineWaiters(deps, waiters, campaignId);
}
