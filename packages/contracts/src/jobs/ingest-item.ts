import { z } from 'zod';
import { defineJob } from './define-job.ts';

/** Extracts the text of one uploaded knowledge base item. */
export const ingestItemJob = defineJob({
  name: 'ingest-item',
  payload: z.object({ item_id: z.uuid() }),
  timeoutMs: 300_000,
  retry: { attempts: 2, backoffMs: 5_000 },
  rerunAfterCrash: true,
  deduplicateBy: (payload) => payload.item_id,
});
