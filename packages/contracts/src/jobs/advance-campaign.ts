import { z } from 'zod';
import { defineJob } from './define-job.ts';

/**
 * Wakes a campaign in a worker, which dials its due recipients. If the job is lost, the scheduler's next sweep publishes
 * it again, because the campaign's `wake_at` has passed.
 */
export const advanceCampaignJob = defineJob({
  name: 'advance-campaign',
  payload: z.object({
    campaign_id: z.uuid(),
    /** For its turn in the queue. The campaign's row has its organization. */
    organization_id: z.uuid().optional(),
  }),
  timeoutMs: 30_000,
  retry: { attempts: 1, backoffMs: 0 },
  rerunAfterCrash: true,
  deduplicateBy: (payload) => payload.campaign_id,
  turnOf: (payload) => payload.organization_id,
});
