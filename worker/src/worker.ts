import { randomUUID } from 'node:crypto';
import type { Sweep } from '@outdial/core';
import { forgetWorker, saveWorkerHeartbeat } from '@outdial/db';
import {
  checkCalls,
  createCallChecker,
  createCampaignContexts,
  createGateBatcher,
  createLocalTimers,
  createProgressRecorder,
  deleteRecordings,
  removeUnrecordedFiles,
  withdrawQueuedCalls,
  type DialingDeps,
  type PlaceDeps,
} from '@outdial/engine';
import { openConsumer, type BoundHandler, type JobMetrics, type QueueBackendConfig } from '@outdial/queues';
import { startLoop, startSweeps } from '@outdial/runtime';
import { advanceCampaignHandler } from './jobs/advance-campaign.ts';
import { checkCallHandler } from './jobs/check-call.ts';
import { placeCallHandler } from './jobs/place-call.ts';
import { withdrawRecipientsHandler } from './jobs/withdraw-recipients.ts';
import { listenToProviders } from './listening/listen-to-providers.ts';

/** Sweeps that send requests to providers, and so run in workers. */
const workerSweeps: ReadonlyArray<Sweep<PlaceDeps>> = [
  { name: 'withdraw-queued-calls', everyMs: 1_000, run: withdrawQueuedCalls },
  { name: 'delete-recordings', everyMs: 5_000, run: deleteRecordings },
  { name: 'remove-unrecorded-files', everyMs: 60_000, run: removeUnrecordedFiles },
];
/** A worker that has not been heard of for four of these is taken for dead where a campaign says what it waits for. */
const heartbeatEveryMs = 5_000;

export interface WorkerDeps extends Omit<DialingDeps, 'timers'> {
  queue: QueueBackendConfig;
  jobMetrics?: JobMetrics;
  /** The number of calls that are placed concurrently. */
  concurrency: number;
  /** Called after a round of a sweep with the number of its repairs. */
  onRepaired?: (sweep: string, count: number) => void;
  /** Called after a round of a sweep that failed. */
  onFailed?: (sweep: string, count: number) => void;
  /** Handlers of jobs other than dialing. */
  furtherHandlers?: readonly BoundHandler[];
}

export interface RunningWorker {
  /** Takes no further job, finishes the calls that it is placing and recording, and releases the rest. */
  stop(args: { drainMs: number }): Promise<void>;
}

/** Joins the queues: from now on, this process dials. */
export function startWorker(deps: WorkerDeps): RunningWorker {
  const onError = (error: unknown) => deps.log.error({ err: error }, 'a timer of this worker failed');
  const timers = createLocalTimers(onError);
  const dialing = { ...deps, timers };
  const progress = createProgressRecorder(dialing);
  const checker = createCallChecker({ timers, check: (callIds) => checkCalls(place, callIds), onError });
  const place: PlaceDeps = {
    ...dialing,
    progress,
    checker,
    contexts: createCampaignContexts(deps.db),
    gateBatcher: createGateBatcher(deps.db),
  };
  const listening = listenToProviders(place);
  const consumer = openConsumer(
    deps.queue,
    { log: deps.log, ...(deps.jobMetrics && { metrics: deps.jobMetrics }) },
    [
      advanceCampaignHandler(dialing),
      placeCallHandler(place, deps.concurrency),
      checkCallHandler(place),
      withdrawRecipientsHandler(deps),
      ...(deps.furtherHandlers ?? []),
    ],
  );
  const sweeps = startSweeps(workerSweeps, {
    deps: place,
    log: deps.log,
    ...(deps.onRepaired && { onRepaired: deps.onRepaired }),
    ...(deps.onFailed && { onFailed: deps.onFailed }),
  });
  const id = randomUUID();
  const heartbeat = startLoop({
    name: 'worker heartbeat',
    log: deps.log,
    runOnce: () => saveWorkerHeartbeat(deps.db, id),
    waitMs: () => heartbeatEveryMs,
  });
  return {
    async stop({ drainMs }) {
      timers.close();
      await Promise.all([sweeps.stop(), heartbeat.stop(), consumer.close({ drainMs })]);
      // Without this, the worker only counts as dead a little later.
      await forgetWorker(deps.db, id).catch(() => undefined);
      await listening.stop();
      await progress.drain();
    },
  };
}
