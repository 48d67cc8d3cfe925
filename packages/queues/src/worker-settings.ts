import type { JobDefinition } from '@outdial/contracts';
import type { WorkerSettings } from './backend.ts';

/** The stream of queue events is for people who look; nothing in the service reads it. */
export const MAX_EVENTS_KEPT = 1_000;

/**
 * How a worker holds its jobs. A job whose worker died is noticed when its lock has run out and the check has seen it
 * twice: at most 12 s. Correctness does not rest on it (a job may be lost, the sweeps repair); a short lock keeps a
 * de-duplicated job from standing in the way of its successors for BullMQ's default of half a minute and more.
 */
export function workerSettings(job: JobDefinition, concurrency: number): WorkerSettings {
  return {
    concurrency,
    lockDuration: 6_000,
    lockRenewTime: 2_000,
    stalledInterval: 3_000,
    maxStalledCount: job.rerunAfterCrash ? 1 : 0,
    // The wait before a failed fetch is tried again; BullMQ's default of 15 s would outlast any restart.
    runRetryDelay: 500,
    // Finished jobs are kept for bull-board. This costs time on Postgres, where every completion counts them.
    removeOnComplete: { count: 20 },
    removeOnFail: { count: 200 },
  };
}
