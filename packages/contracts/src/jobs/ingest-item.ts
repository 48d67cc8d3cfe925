import { z } from 'zod';
import { defineJob } from './define-job.ts';

/** How many jobs wait at most. Each claims documents from the database until none is left. */
const jobsAtMost = 32;

/** Extracts the text of uploaded knowledge base items that wait, of the named one and of others. */
export const ingestItemJob = defineJob({
  name: 'ingest-item',
  payload: z.object({ item_id: z.uuid() }),
  timeoutMs: 300_000,
  retry: { attempts: 2, backoffMs: 5_000 },
  rerunAfterCrash: true,
  // The last digits of a UUID are random in all versions in use.
  deduplicateBy: ({ item_id: itemId }) => String(Number.parseInt(itemId.slice(-2), 16) % jobsAtMost),
});
