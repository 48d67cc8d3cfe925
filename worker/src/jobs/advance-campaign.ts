import { advanceCampaignJob } from '@outdial/contracts';
import type { Dialer } from '@outdial/engine';
import { onJob, type BoundHandler } from '@outdial/queues';

/** A job only wakes the campaign, which then waits for the turn of its organization. */
const concurrency = 20;

export function advanceCampaignHandler({ dialer }: { dialer: Pick<Dialer, 'wake'> }): BoundHandler {
  return onJob({
    job: advanceCampaignJob,
    concurrency,
    handle: async (payload) => dialer.wake([payload.campaign_id]),
  });
}
