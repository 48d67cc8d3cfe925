import { z } from 'zod';
import { defineJob } from './define-job.ts';

/**
 * Passes the gate with a direct call and sends it to the provider. The queue never retries this job, because the sweeps decide from the database
 * whether a dial may be repeated.
 */
export const placeCallJob = defineJob({
  name: 'place-call',
  payload: z.object({ call_id: z.uuid() }),
  timeoutMs: 30_000,
  retry: { attempts: 1, backoffMs: 0 },
  rerunAfterCrash: false,
  // Sweeps publish waiting calls each second.
  deduplicateBy: (payload) => payload.call_id,
  staysInTrace: true,
});
