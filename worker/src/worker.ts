import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { advanceCampaignJob } from '@outdial/contracts';
import type { Sweep } from '@outdial/core';
import { forgetWorker, saveWorkerHeartbeat } from '@outdial/db';
import {
  checkCalls,
  createCallChecker,
  createDialer,
  createLocalTimers,
  createProgressRecorder,
  deleteRecordings,
  removeUnrecordedFiles,
  withdrawQueuedCalls,
  type DialingDeps,
  type SendDeps,
} from '@outdial/engine';
import { openConsumer, type BoundHandler, type JobMetrics, type QueueBackendConfig } from '@outdial/queues';
import { startLoop, startSweeps, type SweepObserver } from '@outdial/runtime';
import { advanceCampaignHandler } from './jobs/advance-campaign.ts';
import { checkCallHandler } from './jobs/check-call.ts';
import { placeCallHandler } from './jobs/place-call.ts';
import { withdrawRecipientsHandler } from './jobs/withdraw-recipients.ts';
import { listenToProviders } from './listening/listen-to-providers.ts';

/** Sweeps that send requests to providers, and so run in workers. */
export const workerSweeps: ReadonlyArray<Sweep<SendDeps>> = [
  { name: 'withdraw-queued-calls', everyMs: 1_000, run: withdrawQueuedCalls },
  { name: 'delete-recordings', everyMs: 5_000, run: deleteRecordings },
  { name: 'remove-unrecorded-files', everyMs: 60_000, run: removeUnrecordedFiles },
];
/** After four missed heartbeats, `waiting_for` treats the worker as dead. */
const heartbeatEveryMs = 5_000;

export interface WorkerDeps extends Omit<DialingDeps, 'timers'>, SweepObserver {
  queue: QueueBackendConfig;
  jobMetrics?: JobMetrics;
  /** Sends to each provider that run at once, and direct calls that are placed at once. */
  concurrency: number;
  /** Handlers of jobs that do not dial. */
  furtherHandlers?: readonly BoundHandler[];
}

export interface RunningWorker {
  /** Takes no more jobs, and waits for the calls that are being placed or recorded. */
  stop(args: { drainMs: number }): Promise<void>;
}

/** Starts to take jobs. */
export function startWorker(deps: WorkerDeps): RunningWorker {
  const onError = (error: unknown) => deps.log.error({ err: error }, 'a timer of this worker failed');
  const timers = createLocalTimers(onError);
  const dialing = {
    ...deps,
    timers,
    dialer: { wake: (campaignIds: Iterable<string>) => dialer.wake(campaignIds) },
  };
  const progress = createProgressRecorder(dialing);
  const checker = createCallChecker({ timers, check: (callIds) => checkCalls(place, callIds), onError });
  const place: SendDeps = {
    ...dialing,
    progress,
    checker,
  };
  const dialer = createDialer(place, {
    placesOfProvider: deps.concurrency,
    // The job that woke the campaign has ended before.
    onFailed: () => deps.jobMetrics?.jobFinished(advanceCampaignJob.name, 'failed', 0),
  });
  const listening = listenToProviders(place);
  const consumer = openConsumer(
    deps.queue,
    { log: deps.log, ...(deps.jobMetrics && { metrics: deps.jobMetrics }) },
    [
      advanceCampaignHandler({ dialer }),
      placeCallHandler(place, deps.concurrency),
      checkCallHandler(place),
      withdrawRecipientsHandler(deps),
      ...(deps.furtherHandlers ?? []),
    ],
  );
  const sweeps = startSweeps(workerSweeps, { ...deps, deps: place });
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
      await Promise.all([
        sweeps.stop(),
        heartbeat.stop(),
        consumer.close({ drainMs }),
        Promise.race([dialer.close(), sleep(drainMs, undefined, { ref: false })]),
      ]);
      // Otherwise the worker would count as alive until its heartbeat is old.
      await forgetWorker(deps.db, id).catch(() => undefined);
      await listening.stop();
      await progress.drain();
    },
  };
}
