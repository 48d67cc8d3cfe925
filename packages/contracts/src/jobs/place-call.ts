import { z } from 'zod';
import { defineJob } from './define-job.ts';

/**
 * Takes one claimed attempt through the gate to the provider. Names a recipient (of a campaign) or a call that is
 * already written (made by the api on its own), never neither.
 * The queue never runs it twice: whether a dial may be repeated is decided by the sweeps, from the database.
 */
export const placeCallJob = defineJob({
  name: 'place-call',
  payload: z
    .object({
      call_id: z.uuid().optional(),
      recipient_id: z.uuid().optional(),
      /** The claim under which the attempt was reserved; a handler that finds another one in the row does nothing. */
      claim_id: z.uuid(),
      /** Which dial of the recipient this is, from 1. */
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
  staysInTrace: true,
});
