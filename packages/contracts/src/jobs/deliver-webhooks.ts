import { z } from 'zod';
import { defineJob } from './define-job.ts';

/** Sends due webhooks of an endpoint for a few seconds. If the job is lost, the scheduler publishes it again. */
export const deliverWebhooksJob = defineJob({
  name: 'deliver-webhooks',
  payload: z.object({ endpoint_id: z.uuid() }),
  // The few seconds, plus the deliveries in progress at their end: three events of one subject, each with a deadline of 15 seconds.
  timeoutMs: 60_000,
  retry: { attempts: 1, backoffMs: 0 },
  rerunAfterCrash: true,
  deduplicateBy: (payload) => payload.endpoint_id,
});
