import { setMaxListeners } from 'node:events';
import type { JobDefinition } from '@outdial/contracts';
import { ErrorCode } from 'bullmq';
import type { JobWorker, QueueBackend } from './backend.ts';
import type { QueueBackendConfig } from './backend-config.ts';
import { withDeadline } from './deadline.ts';
import { ConsumerClosedError } from './errors.ts';
import { openBackend } from './open-backend.ts';
import type { JobMetrics, QueueLog } from './ports.ts';
import { type JobHandler, runJob, type RunEnvironment } from './run-job.ts';
import { workerSettings } from './worker-settings.ts';

/** A handler whose payload type is known only to itself, so that handlers of different jobs fit in one list. */
export interface BoundHandler {
  readonly jobName: string;
  open(backend: QueueBackend, environment: RunEnvironment): JobWorker;
}

export interface Consumer {
  /**
   * Takes no further job, waits up to `drainMs` for the active ones, then aborts their signals, and ends all
   * connections.
   */
  close(options: { readonly drainMs: number }): Promise<void>;
}

/** Time that aborted jobs get to be written down as failed. */
const ABORT_GRACE_MS = 500;

export function onJob<Job extends JobDefinition>(handler: JobHandler<Job>): BoundHandler {
  const { job, concurrency } = handler;
  return {
    jobName: job.name,
    open: (backend, environment) =>
      backend.openWorker({
        job,
        settings: workerSettings(job, concurrency),
        // Three parameters: BullMQ hands its signal only to a processor that declares it.
        process: (bullJob, _token, signal) => runJob(handler, bullJob, signal, environment),
        onStalled: (jobId) =>
          environment.log.warn(
            { job: job.name, job_id: jobId, rerun: job.rerunAfterCrash },
            'a worker died with this job',
          ),
        onLocksLost: (jobIds) =>
          environment.log.warn({ job: job.name, job_ids: jobIds }, 'locks of jobs could not be renewed'),
        onError: (error) => {
          if (isToldTwice(error) || isLostLock(error)) return;
          environment.log.error({ job: job.name, err: error }, 'worker error');
        },
      }),
  };
}

const toldTwice: ReadonlySet<unknown> = new Set([
  ErrorCode.JobNotInState,
  ErrorCode.JobLockNotExist,
  ErrorCode.JobNotExist,
]);

/**
 * A cut can take the answer to a job's end. It is told again, and the queue has ended the job and given up its lock already, or has deleted it
 * since: only the last finished ones are kept.
 */
function isToldTwice(error: Error): boolean {
  return 'code' in error && toldTwice.has(error.code);
}

/** `onLocksLost` reports all of them at once. If an answer is a second late, a job can end while its lock is being renewed. */
function isLostLock(error: Error): boolean {
  return error.message.startsWith('could not renew lock for job ');
}

/** Starts one worker for each handler. */
export function openConsumer(
  config: QueueBackendConfig,
  { log, metrics }: { log: QueueLog; metrics?: JobMetrics },
  handlers: readonly BoundHandler[],
): Consumer {
  const backend = openBackend(config, 'consumer', log);
  const closed = new AbortController();
  // Every active job listens to it.
  setMaxListeners(0, closed.signal);
  const workers = handlers.map((handler) => handler.open(backend, { log, metrics, closed: closed.signal }));
  let closing: Promise<void> | undefined;

  async function close(drainMs: number): Promise<void> {
    const drained = Promise.all(workers.map((worker) => worker.close())).then(() => undefined);
    const inTime = (timeoutMs: number) =>
      withDeadline(drained, timeoutMs, () => new ConsumerClosedError()).then(
        () => true,
        () => false,
      );
    if (!(await inTime(drainMs))) {
      closed.abort(new ConsumerClosedError());
      if (!(await inTime(ABORT_GRACE_MS))) {
        log.warn({}, 'queue workers did not stop in time; closing their connections');
      }
    }
    await backend.close();
  }

  return {
    close({ drainMs }) {
      closing ??= close(drainMs);
      return closing;
    },
  };
}
