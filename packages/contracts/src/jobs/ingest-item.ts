import { smallFileBytes } from '@outdial/core';
import { z } from 'zod';
import { defineJob, type JobInput } from './define-job.ts';

/** The maximum number of concurrent jobs for small files; each job reads several files. */
const smallFileJobs = 8;

/** Extracts the text of one uploaded knowledge base item, or of small ones that wait. */
export const ingestItemJob = defineJob({
  name: 'ingest-item',
  payload: z.object({
    item_id: z.uuid(),
    /** Set if the item has a small file. Waiting jobs with the same number collapse into one, because any of them reads all small files that wait. */
    small_files: z
      .int()
      .min(0)
      .max(smallFileJobs - 1)
      .optional(),
  }),
  timeoutMs: 300_000,
  retry: { attempts: 2, backoffMs: 5_000 },
  rerunAfterCrash: true,
  deduplicateBy: (payload) =>
    payload.small_files === undefined ? payload.item_id : `small-files-${payload.small_files}`,
});

/** The job for an upload. Many small files share few jobs; each job claims files from the database. */
export function ingestionOf({
  itemId,
  sizeBytes,
}: {
  itemId: string;
  sizeBytes: number;
}): JobInput<typeof ingestItemJob> {
  if (sizeBytes > smallFileBytes) return { item_id: itemId };
  // The last digits of a UUID are random in all versions in use.
  return { item_id: itemId, small_files: Number.parseInt(itemId.slice(-2), 16) % smallFileJobs };
}
