import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { advanceCampaignJob, checkCallJob, placeCallJob } from '@outdial/contracts';
import type { Sweep } from '@outdial/core';
import { forgetWorker, saveWorkerHeartbeat } from '@outdial/db';
import {
  checkCalls,
  createCallChecker,
  createDialer,
  createHeldTurns,
  createLocalTimers,
  createProgressRecorder,
  deleteRecordings,
  placeDirectCall,
  ProviderQuestions,
  removeUnrecordedFiles,
  withdrawQueuedCalls,
  type DialingDeps,
  type SendDeps,
} from '@outdial/engine';
import {
  onJob,
  openConsumer,
  type BoundHandler,
  type JobMetrics,
  type QueueBackendConfig,
} from '@outdial/queues';
import { startLoop, startSweeps, type SweepObserver } from '@outdial/runtime';
import { withdrawRecipientsHandler } from './jobs/withdraw-recipients.ts';
import { listenToProviders } from './listening/listen-to-providers.ts';

/** Sweeps that send requests to providers, and so run in workers. */
export const workerSweeps: ReadonlyArray<Sweep<SendDeps>> = [
  { name: 'withdraw-queued-calls', everyMs: 1_000, run: withdrawQueuedCalls },
  { name: 'delete-recordings', everyMs: 5_000, run: deleteRecordings },
  { name: 'remove-unrecorded-files', everyMs: 60_000, run: removeUnrecordedFiles },
];
/** Of advances and of look-ups. */
const jobsAtOnce = 20;
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
    questions: new ProviderQuestions(),
    held: createHeldTurns(),
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
      // A job only wakes the campaign, which then waits for the turn of its organization.
      onJob({
        job: advanceCampaignJob,
        concurrency: jobsAtOnce,
        handle: async ({ campaign_id }) => dialer.wake([campaign_id]),
      }),
      // Failed jobs are published again by a sweep, until the deadline of their call.
      onJob({
        job: placeCallJob,
        concurrency: deps.concurrency,
        async handle({ call_id }) {
          const placed = await placeDirectCall(place, call_id);
          deps.log.debug({ call_id, ...placed }, 'call tried');
        },
      }),
      onJob({
        job: checkCallJob,
        concurrency: jobsAtOnce,
        handle: ({ call_id }) => checker.check([call_id]),
      }),
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
