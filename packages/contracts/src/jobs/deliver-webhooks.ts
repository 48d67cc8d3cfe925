import { z } from 'zod';
import { defineJob } from './define-job.ts';

/** Sends the due webhooks of an endpoint, for a turn of a few seconds. If the job is lost, the scheduler publishes it again. */
export const deliverWebhooksJob = defineJob({
  name: 'deliver-webhooks',
  payload: z.object({ endpoint_id: z.uuid() }),
  // A turn, and what is being sent at its end: three events of one subject, each with a deadline of 15 seconds.
  timeoutMs: 60_000,
  retry: { attempts: 1, backoffMs: 0 },
  rerunAfterCrash: true,
  deduplicateBy: (payload) => payload.endpoint_id,
});
