import { z } from 'zod';
import { defineJob } from './define-job.ts';

/** Looks up a call of unknown outcome at its provider. Not retried, because the sweep publishes it again. */
export const checkCallJob = defineJob({
  name: 'check-call',
  payload: z.object({ call_id: z.uuid() }),
  timeoutMs: 30_000,
  retry: { attempts: 1, backoffMs: 0 },
  rerunAfterCrash: false,
  deduplicateBy: (payload) => payload.call_id,
});
