import { setMaxListeners } from 'node:events';
import type { JobDefinition } from '@outdial/contracts';
import { ErrorCode } from 'bullmq';
import type { JobWorker, QueueBackend } from './backend.ts';
import type { QueueBackendConfig } from './backend-config.ts';
import { rejectAfter } from '@outdial/core';
import { ConsumerClosedError } from './errors.ts';
import { openBackend } from './open-backend.ts';
import type { JobMetrics, QueueLog } from './ports.ts';
import { type JobHandler, runJob, type RunEnvironment } from './run-job.ts';
import { workerSettings } from './worker-settings.ts';

/** Hides the payload type of a handler, so that handlers of different jobs fit in one list. */
export interface BoundHandler {
  readonly jobName: string;
  open(backend: QueueBackend, environment: RunEnvironment): JobWorker;
}

export interface Consumer {
  /** Takes no more jobs, waits up to `drainMs` for the active ones, then aborts their signals and closes all connections. */
  close(options: { readonly drainMs: number }): Promise<void>;
}

/** Aborted jobs need this time to be recorded as failed. */
const abortGraceMs = 500;

export function onJob<Job extends JobDefinition>(handler: JobHandler<Job>): BoundHandler {
  const { job, concurrency } = handler;
  return {
    jobName: job.name,
    open: (backend, environment) =>
      backend.openWorker({
        job,
        settings: workerSettings(job, concurrency),
        // BullMQ only passes its signal to a processor with three parameters.
        process: (bullJob, _token, signal) => runJob(handler, bullJob, signal, environment),
        onStalled: (jobId) =>
          environment.log.warn(
            { job: job.name, job_id: jobId, rerun: job.rerunAfterCrash },
            'a worker died with this job',
          ),
        onLocksLost: (jobIds) =>
          environment.log.warn({ job: job.name, job_ids: jobIds }, 'locks of jobs could not be renewed'),
        onError: (error) => {
          if (isAlreadyEnded(error) || isLostLock(error)) return;
          environment.log.error({ job: job.name, err: error }, 'worker error');
        },
      }),
  };
}

const alreadyEnded: ReadonlySet<unknown> = new Set([
  ErrorCode.JobNotInState,
  ErrorCode.JobLockNotExist,
  ErrorCode.JobNotExist,
]);

/** If a broken connection loses the reply to a job's end, BullMQ sends the end again. By then the queue has released the job's lock, or has deleted the job. */
function isAlreadyEnded(error: Error): boolean {
  return 'code' in error && alreadyEnded.has(error.code);
}

/** `onLocksLost` reports these already. On a slow connection, a job can end while its lock is being renewed. */
function isLostLock(error: Error): boolean {
  return error.message.startsWith('could not renew lock for job ');
}

export function openConsumer(
  config: QueueBackendConfig,
  { log, metrics }: { log: QueueLog; metrics?: JobMetrics },
  handlers: readonly BoundHandler[],
): Consumer {
  const backend = openBackend(config, 'consumer', log);
  const closed = new AbortController();
  // Every active job adds a listener.
  setMaxListeners(0, closed.signal);
  const workers = handlers.map((handler) => handler.open(backend, { log, metrics, closed: closed.signal }));
  let closing: Promise<void> | undefined;

  async function close(drainMs: number): Promise<void> {
    const drained = Promise.all(workers.map((worker) => worker.close())).then(() => undefined);
    const inTime = (timeoutMs: number) =>
      rejectAfter(drained, timeoutMs, () => new ConsumerClosedError()).then(
        () => true,
        () => false,
      );
    if (!(await inTime(drainMs))) {
      closed.abort(new ConsumerClosedError());
      if (!(await inTime(abortGraceMs))) {
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
