import { z } from 'zod';
import { defineJob } from './define-job.ts';

/** Looks a call whose fate is open up at its provider. Not retried: the sweep that asked asks again. */
export const checkCallJob = defineJob({
  name: 'check-call',
  payload: z.object({ call_id: z.uuid() }),
  timeoutMs: 30_000,
  retry: { attempts: 1, backoffMs: 0 },
  rerunAfterCrash: false,
  deduplicateBy: (payload) => payload.call_id,
});
