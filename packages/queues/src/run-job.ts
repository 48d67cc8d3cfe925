import { performance } from 'node:perf_hooks';
import type { JobDefinition, JobPayload } from '@outdial/contracts';
import { type Job as BullJob, UnrecoverableError } from 'bullmq';
import { InvalidJobPayloadError, JobTimeoutError } from './errors.ts';
import { parsePayload } from './publisher.ts';
import type { JobMetrics, JobResult, QueueLog } from './ports.ts';
import { asJob } from './telemetry.ts';

export interface JobContext {
  /** Aborted when the job times out, its lock is lost, or the consumer's time to drain is over. */
  readonly signal: AbortSignal;
  readonly jobId: string;
  /** In percent, for bull-board. */
  updateProgress(percent: number): Promise<void>;
}

export interface JobHandler<Job extends JobDefinition> {
  readonly job: Job;
  /** Concurrent jobs of one consumer. */
  readonly concurrency: number;
  handle(payload: JobPayload<Job>, context: JobContext): Promise<void>;
  /** Called after a run that failed or timed out, so that its work is retried with growing delays. Not called while the consumer closes. */
  failed?(payload: JobPayload<Job>, error: unknown): Promise<void>;
}

export interface RunEnvironment {
  readonly log: QueueLog;
  readonly metrics: JobMetrics | undefined;
  /** Aborted when the consumer's time to drain is over. */
  readonly closed: AbortSignal;
}

/** Runs one job within its time limit. Rejects if the run fails. */
export async function runJob<Job extends JobDefinition>(
  handler: JobHandler<Job>,
  bullJob: BullJob<unknown, void>,
  lockLost: AbortSignal | undefined,
  { log, metrics, closed }: RunEnvironment,
): Promise<void> {
  const { job } = handler;
  const jobId = bullJob.id ?? '';
  const startedAtMs = performance.now();
  let result: JobResult = 'completed';
  let payload: JobPayload<Job> | undefined;
  try {
    const parsed = parsePayload(job, bullJob.data);
    payload = parsed;
    const aborts = lockLost === undefined ? [closed] : [closed, lockLost];
    await withinTimeLimit(job, aborts, (signal) =>
      asJob(() =>
        handler.handle(parsed, {
          get signal() {
            return signal();
          },
          jobId,
          updateProgress: (percent) => bullJob.updateProgress(percent),
        }),
      ),
    );
  } catch (error) {
    result = resultOf(error);
    log.error({ job: job.name, job_id: jobId, attempt: bullJob.attemptsMade + 1, err: error }, 'job failed');
    if (payload !== undefined && !closed.aborted) await recordFailure(handler, payload, error, log);
    // No later run can repair a payload.
    throw error instanceof InvalidJobPayloadError ? new UnrecoverableError(error.message) : error;
  } finally {
    metrics?.jobFinished(job.name, result, performance.now() - startedAtMs);
  }
}

async function recordFailure<Job extends JobDefinition>(
  handler: JobHandler<Job>,
  payload: JobPayload<Job>,
  failure: unknown,
  log: QueueLog,
): Promise<void> {
  try {
    await handler.failed?.(payload, failure);
  } catch (error) {
    log.warn({ job: handler.job.name, err: error }, 'could not record a failed job');
  }
}

function resultOf(error: unknown): JobResult {
  if (error instanceof JobTimeoutError) return 'timed_out';
  return error instanceof InvalidJobPayloadError ? 'invalid' : 'failed';
}

/**
 * Ends when `work` ends or times out, so that a handler that ignores its signal does not block a slot. The signal is created when the handler
 * reads it, because thousands of jobs a second end within milliseconds.
 */
async function withinTimeLimit(
  job: JobDefinition,
  aborts: readonly AbortSignal[],
  work: (signal: () => AbortSignal) => Promise<void>,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const unsubscribe: Array<() => void> = [];
  try {
    await new Promise<void>((resolve, reject) => {
      let own: AbortController | undefined;
      let ended: { reason: unknown } | undefined;
      const end = (reason: unknown) => {
        ended ??= { reason };
        own?.abort(reason);
        // The reason of an abort may have any type.
        reject(reason instanceof Error ? reason : new Error(String(reason)));
      };
      const signal = () => {
        own ??= new AbortController();
        if (ended) own.abort(ended.reason);
        return own.signal;
      };
      timer = setTimeout(() => end(new JobTimeoutError(job.name, job.timeoutMs)), job.timeoutMs);
      for (const outer of aborts) {
        if (outer.aborted) return end(outer.reason);
        unsubscribe.push(onAbort(outer, end));
      }
      work(signal).then(resolve, reject);
    });
  } finally {
    clearTimeout(timer);
    for (const stop of unsubscribe) stop();
  }
}

/** Like `AbortSignal.any`, without leaving a listener on a signal that outlives the job. */
function onAbort(signal: AbortSignal, act: (reason: unknown) => void): () => void {
  const listener = () => act(signal.reason);
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}
