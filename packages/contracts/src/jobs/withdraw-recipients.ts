import { z } from 'zod';
import { defineJob } from './define-job.ts';

/** Withdraws the undialed recipients of a campaign that was canceled or has ended, in chunks. A second run continues where the first one stopped. */
export const withdrawRecipientsJob = defineJob({
  name: 'withdraw-recipients',
  payload: z.object({
    campaign_id: z.uuid(),
    /** For its turn in the queue. The campaign's row has its organization. */
    organization_id: z.uuid().optional(),
  }),
  timeoutMs: 300_000,
  retry: { attempts: 3, backoffMs: 1_000 },
  rerunAfterCrash: true,
  deduplicateBy: (payload) => payload.campaign_id,
  turnOf: (payload) => payload.organization_id,
});
