import type { OpsQueues } from '@outdial/queues';
import type { Metrics } from '@outdial/runtime';

/** Depth and age of every queue. Omits queues that cannot be read, so that a scrape does not fail with them. */
export async function recordQueues(
  queues: OpsQueues | null,
  { metrics, now }: { metrics: Pick<Metrics, 'queueJobs' | 'queueOldest'>; now: Date },
): Promise<void> {
  const { queueJobs, queueOldest } = metrics;
  queueJobs.reset();
  queueOldest.reset();
  await Promise.allSettled(
    (queues?.queues ?? []).map(async (queue) => {
      const [counts, [oldest]] = await Promise.all([
        queue.getJobCounts('waiting', 'active', 'delayed', 'failed'),
        queue.getJobs(['waiting'], 0, 0, true),
      ]);
      for (const [state, count] of Object.entries(counts)) queueJobs.set({ queue: queue.name, state }, count);
      const ageMs = oldest === undefined ? 0 : Math.max(0, now.getTime() - oldest.timestamp);
      queueOldest.set({ queue: queue.name }, ageMs / 1_000);
    }),
  );
}
