import type { JobDefinition } from '@outdial/contracts';
import type { WorkerSettings } from './backend.ts';

/** Only bull-board reads the stream of queue events. */
export const maxEventsKept = 1_000;

/**
 * A dead worker is noticed within 12 s: its lock has to expire, and two checks have to find the job. Sweeps repair lost jobs, so correctness
 * does not depend on this. But until then the job blocks later ones with the same de-duplication id, with BullMQ's defaults for more than half
 * a minute.
 */
export function workerSettings(job: JobDefinition, concurrency: number): WorkerSettings {
  return {
    concurrency,
    lockDuration: 6_000,
    lockRenewTime: 2_000,
    stalledInterval: 3_000,
    maxStalledCount: job.rerunAfterCrash ? 1 : 0,
    // The wait after a failed fetch. BullMQ's default of 15 s is longer than any restart.
    runRetryDelay: 500,
    // For bull-board. Few, because on Postgres every completion counts the finished jobs.
    removeOnComplete: { count: 20 },
    removeOnFail: { count: 200 },
  };
}
