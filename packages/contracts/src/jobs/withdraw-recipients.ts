import { z } from 'zod';
import { defineJob } from './define-job.ts';

/** Withdraws what a campaign that was canceled or has ended did not dial, in chunks; a second run goes on where the first stopped. */
export const withdrawRecipientsJob = defineJob({
  name: 'withdraw-recipients',
  payload: z.object({ campaign_id: z.uuid() }),
  timeoutMs: 300_000,
  retry: { attempts: 3, backoffMs: 1_000 },
  rerunAfterCrash: true,
  deduplicateBy: (payload) => payload.campaign_id,
});
