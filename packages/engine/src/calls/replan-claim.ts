import {
  type GateRefusal,
  inTransaction,
  loadCampaignDefinition,
  lockLineCaps,
  replanRecipients,
  returnClaims,
  shareCampaignOfId,
  type LineWaiters,
} from '@outdial/db';
import type { ControlDeps } from '../deps.ts';
import { enqueueLineWaiters } from '../enqueue.ts';

interface RefusedClaim {
  organizationId: string;
  campaignId: string;
  recipientId: string;
  claimId: string;
}

/** The recipient would be claimed and refused again at once. */
class UnchangedPlanError extends Error {}

/**
 * Releases a claim that is no longer due under the current rules, and plans its recipient again from its last call. If the plan stays as it
 * was, the claim counts as failed, so that the recipient waits longer each time.
 */
export async function replanClaim(
  deps: ControlDeps,
  claim: RefusedClaim,
  refusal: GateRefusal,
): Promise<void> {
  const due = { state: 'pending' as const, at: refusal.now };
  const release = async (failure?: string): Promise<LineWaiters> =>
    inTransaction(deps.db, async (tx) => {
      const { campaignId, recipientId } = claim;
      await lockLineCaps(tx);
      await shareCampaignOfId(tx, campaignId);
      const released = { ...claim, next: due, refusal, ...(failure !== undefined && { failure }) };
      const { returned, lineWaiters } = await returnClaims(tx, [released], refusal.now);
      const definition = await loadCampaignDefinition(tx, campaignId);
      if (failure === undefined && returned > 0 && definition) {
        const which = { kind: 'these', recipientIds: [recipientId] } as const;
        if ((await replanRecipients(tx, definition, which, refusal.now)) === 0) {
          throw new UnchangedPlanError();
        }
      }
      return lineWaiters;
    });

  const waiters = await release().catch((error: unknown) => {
    if (!(error instanceof UnchangedPlanError)) throw error;
    const failure = 'the gate refused an attempt that the rules allow';
    deps.log.error({ campaign_id: claim.campaignId, claim_id: claim.claimId }, failure);
    return release(failure);
  });
  await enqueueLineWaiters(deps, waiters, claim.campaignId);
}
