import { z } from 'zod';
import { defineJob } from './define-job.ts';

/**
 * Claims the recipients of one campaign that are due, and publishes their `place-call` jobs.
 * The job may be lost: the campaign's `wake_at` says the same, so a lost one is repaired by the scheduler's next sweep.
 */
export const advanceCampaignJob = defineJob({
  name: 'advance-campaign',
  payload: z.object({
    campaign_id: z.uuid(),
    /** For logs and routing only; the row says whose the campaign is. */
    organization_id: z.uuid().optional(),
  }),
  timeoutMs: 30_000,
  retry: { attempts: 1, backoffMs: 0 },
  rerunAfterCrash: true,
  deduplicateBy: (payload) => payload.campaign_id,
});
