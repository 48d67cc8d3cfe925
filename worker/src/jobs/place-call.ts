import { placeCallJob } from '@outdial/contracts';
import { claimFailed, placeCampaignCall, placeDirectCall, type PlaceDeps } from '@outdial/engine';
import { onJob, type BoundHandler } from '@outdial/queues';

export function placeCallHandler(deps: PlaceDeps, concurrency: number): BoundHandler {
  return onJob({
    job: placeCallJob,
    concurrency,
    async handle(payload) {
      const log = { call_id: payload.claim_id, campaign_id: payload.campaign_id };
      if (payload.call_id !== undefined) {
        const placed = await placeDirectCall(deps, payload.call_id);
        deps.log.debug({ ...log, ...placed }, 'call tried');
        return;
      }
      if (!payload.recipient_id || !payload.campaign_id || !payload.organization_id) {
        deps.log.warn(log, 'ignored a place-call job without a recipient; its claim will expire');
        return;
      }
      const placed = await placeCampaignCall(deps, {
        organizationId: payload.organization_id,
        campaignId: payload.campaign_id,
        recipientId: payload.recipient_id,
        claimId: payload.claim_id,
        attempt: payload.attempt,
      });
      deps.log.debug({ ...log, ...placed }, 'attempt tried');
    },
    // Direct calls are retried by a sweep until their deadline.
    async failed({ organization_id, campaign_id, recipient_id, claim_id }, error) {
      if (!organization_id || !campaign_id || !recipient_id) return;
      await claimFailed(
        deps,
        {
          organizationId: organization_id,
          campaignId: campaign_id,
          recipientId: recipient_id,
          claimId: claim_id,
        },
        error,
      );
    },
  });
}
