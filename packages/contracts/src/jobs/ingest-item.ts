import { SMALL_FILE_BYTES } from '@outdial/core';
import { z } from 'zod';
import { defineJob, type JobInput } from './define-job.ts';

/** Jobs for small files that may wait, or run, at the same time; each takes several files. */
const SMALL_FILE_JOBS = 8;

/** Extracts the text of one uploaded knowledge base item, or of small ones that wait. */
export const ingestItemJob = defineJob({
  name: 'ingest-item',
  payload: z.object({
    item_id: z.uuid(),
    /** Small files wait, that of this item among them. Says as much as any job of the same number that waits: they collapse. */
    small_files: z
      .int()
      .min(0)
      .max(SMALL_FILE_JOBS - 1)
      .optional(),
  }),
  timeoutMs: 300_000,
  retry: { attempts: 2, backoffMs: 5_000 },
  rerunAfterCrash: true,
  deduplicateBy: (payload) =>
    payload.small_files === undefined ? payload.item_id : `small-files-${payload.small_files}`,
});

/** The job of an upload. Those of many small files are few: which of them is taken by which job, the database decides. */
export function ingestionOf({
  itemId,
  sizeBytes,
}: {
  itemId: string;
  sizeBytes: number;
}): JobInput<typeof ingestItemJob> {
  if (sizeBytes > SMALL_FILE_BYTES) return { item_id: itemId };
  // The end of a UUID is random in every version that is in use.
  return { item_id: itemId, small_files: Number.parseInt(itemId.slice(-2), 16) % SMALL_FILE_JOBS };
}
