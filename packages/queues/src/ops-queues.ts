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
