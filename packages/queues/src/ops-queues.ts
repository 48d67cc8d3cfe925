import { jobCatalogue } from '@outdial/contracts';
import type { Queue } from 'bullmq';
import type { QueueBackendConfig } from './backend-config.ts';
import { openBackend } from './open-backend.ts';
import type { QueueLog } from './ports.ts';

export interface OpsQueues {
  readonly queues: readonly Queue[];
  readonly kind: QueueBackendConfig['kind'];
  close(): Promise<void>;
}

/** Jobs by state, those that take turns among the waiting ones, and when the oldest of those that wait was published. */
export interface QueueDepth {
  readonly counts: Readonly<Record<string, number>>;
  readonly oldestAtMs: number | null;
}

export async function measureQueue(queue: Queue): Promise<QueueDepth> {
  const {
    waiting = 0,
    paused = 0,
    prioritized = 0,
    ...others
  } = await queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed');
  const lists = { waiting: waiting + paused, prioritized };
  // Which end has the oldest depends on the backend, and on whether jobs were published first.
  const ends = await Promise.all(
    (['waiting', 'prioritized'] as const).flatMap((list) =>
      lists[list] === 0 ? [] : [0, lists[list] - 1].map((at) => queue.getJobs([list], at, at, true)),
    ),
  );
  const publishedAtMs = ends.flat().map((job) => job.timestamp);
  return {
    counts: { ...others, paused, waiting: waiting + prioritized },
    oldestAtMs: publishedAtMs.length === 0 ? null : Math.min(...publishedAtMs),
  };
}

/** Opens all queues for bull-board. The service itself does not use these. */
export function openQueues(config: QueueBackendConfig, { log }: { log: QueueLog }): OpsQueues {
  const backend = openBackend(config, 'publisher', log);
  const queues = jobCatalogue.map((job) => backend.openBullQueue(job));
  return {
    queues,
    kind: config.kind,
    async close() {
      await Promise.allSettled(queues.map((queue) => queue.close()));
      await backend.close();
    },
  };
}
