import { advanceCampaignJob } from '@outdial/contracts';
import { advanceCampaign, campaignJobFailed, type DialingDeps } from '@outdial/engine';
import { onJob, type BoundHandler } from '@outdial/queues';

/** Concurrent advances. Those of one campaign run one at a time. */
const concurrency = 8;

export function advanceCampaignHandler(deps: DialingDeps): BoundHandler {
  return onJob({
    job: advanceCampaignJob,
    concurrency,
    async handle(payload) {
      const advanced = await advanceCampaign(deps, payload.campaign_id);
      deps.log.debug({ campaign_id: payload.campaign_id, ...advanced }, 'campaign advanced');
    },
    failed: (payload, error) => campaignJobFailed(deps, payload.campaign_id, error),
  });
}
