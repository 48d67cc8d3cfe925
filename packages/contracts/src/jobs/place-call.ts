import { z } from 'zod';
import { defineJob } from './define-job.ts';

/**
 * Passes the gate with one attempt and sends the call to the provider. Names either a claimed recipient of a campaign, or a direct call that is
 * already in the database. The queue never retries this job, because the sweeps decide from the database whether a dial may be repeated.
 */
export const placeCallJob = defineJob({
  name: 'place-call',
  payload: z
    .object({
      call_id: z.uuid().optional(),
      recipient_id: z.uuid().optional(),
      /** The claim that reserved the attempt. The handler does nothing if the row has another one. */
      claim_id: z.uuid(),
      /** The number of the attempt, from 1. */
      attempt: z.int().min(1),
      campaign_id: z.uuid().optional(),
      organization_id: z.uuid().optional(),
    })
    .refine((payload) => payload.call_id !== undefined || payload.recipient_id !== undefined, {
      error: 'names neither a call_id nor a recipient_id',
    }),
  timeoutMs: 30_000,
  retry: { attempts: 1, backoffMs: 0 },
  rerunAfterCrash: false,
  // Direct calls name none, because somebody waits for them.
  turnOf: (payload) => payload.organization_id,
  staysInTrace: true,
});
