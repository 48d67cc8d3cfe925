import { randomUUID } from 'node:crypto';
import type { JobDefinition, JobInput, JobPayload } from '@outdial/contracts';
import type { JobsOptions } from 'bullmq';
import type { JobQueue, QueuedJob } from './backend.ts';
import type { QueueBackendConfig } from './backend-config.ts';
import { rejectAfter, TurnNumbers } from '@outdial/core';
import { QueueUnavailableError, InvalidJobPayloadError } from './errors.ts';
import { openBackend } from './open-backend.ts';
import type { QueueLog } from './ports.ts';
import { beginsTrace } from './telemetry.ts';
import { z } from 'zod';

const publishTimeoutMs = 2_000;
/** An organization that publishes much more than others is behind them by so many turns, and by no more when it publishes less again. */
const turnsAtMost = 1_000;

export interface PublishOptions {
  /** Puts the job before those that already wait. */
  readonly first?: boolean;
}

export interface Publisher {
  /**
   * Puts one job in its queue.
   * @throws InvalidJobPayloadError
   * @throws QueueUnavailableError after two seconds; the job may still arrive
   */
  publish<Job extends JobDefinition>(
    job: Job,
    payload: JobInput<Job>,
    options?: PublishOptions,
  ): Promise<void>;
  /** Publishes many jobs in one round trip. On Postgres all arrive or none. */
  publishMany<Job extends JobDefinition>(
    job: Job,
    payloads: ReadonlyArray<JobInput<Job>>,
    options?: PublishOptions,
  ): Promise<void>;
  /**
   * Checks that the backend can be reached and has its schema. Returns what is wrong with a backend that works, or null.
   * @throws QueueUnavailableError after two seconds
   */
  ping(): Promise<string | null>;
  close(): Promise<void>;
}

/** The queues connect on first use, and reconnect automatically. */
export function openPublisher(config: QueueBackendConfig, { log }: { log: QueueLog }): Publisher {
  const backend = openBackend(config, 'publisher', log);
  const queues = new Map<string, JobQueue>();
  const turns = new Map<string, TurnNumbers>();

  /** The lower, the earlier. Jobs without a number come first. */
  function turnOf<Job extends JobDefinition>(job: Job, payload: JobPayload<Job>): number | undefined {
    const organizationId = job.turnOf?.(payload);
    if (organizationId === undefined) return undefined;
    let numbers = turns.get(job.name);
    if (numbers === undefined) turns.set(job.name, (numbers = new TurnNumbers({ atMost: turnsAtMost })));
    return numbers.next(organizationId, performance.now());
  }

  function queueOf(job: JobDefinition): JobQueue {
    let queue = queues.get(job.name);
    if (queue === undefined) {
      const opened = backend.openQueue(job);
      queue = opened;
      queues.set(job.name, opened);
      // A BullMQ queue that could not be set up stays broken, so the next publish opens a new one.
      opened.whenReady().catch(() => {
        queues.delete(job.name);
        opened.close().catch(() => undefined);
      });
    }
    return queue;
  }

  async function send(job: JobDefinition, work: (queue: JobQueue) => Promise<unknown>): Promise<void> {
    await answered(job.name, work(queueOf(job)));
  }

  return {
    async publish(job, payload, options) {
      const queued = toQueuedJob(job, payload, options, turnOf);
      await send(job, (queue) => queue.add(queued));
    },

    async publishMany(job, payloads, options) {
      if (payloads.length === 0) return;
      const queued = payloads.map((payload) => toQueuedJob(job, payload, options, turnOf));
      await send(job, (queue) => queue.addBulk(queued));
    },

    ping: () => answered('ping', backend.ping()),

    async close() {
      await Promise.allSettled(
        [...queues.values()].map((queue) =>
          rejectAfter(queue.close(), 500, () => new Error('did not close')),
        ),
      );
      await backend.close();
    },
  };
}

async function answered<Answer>(name: string, work: Promise<Answer>): Promise<Answer> {
  try {
    return await rejectAfter(work, publishTimeoutMs, () => new Error(`no answer in ${publishTimeoutMs} ms`));
  } catch (error) {
    throw new QueueUnavailableError(name, error);
  }
}

function toQueuedJob<Job extends JobDefinition>(
  job: Job,
  payload: JobInput<Job>,
  options: PublishOptions | undefined,
  turnOf: (job: Job, payload: JobPayload<Job>) => number | undefined,
): QueuedJob {
  const data = parsePayload(job, payload);
  // With unique ids, a command that is sent twice over a broken connection adds one job. BullMQ's own counter would restart at 1 after Redis
  // loses its data.
  const opts: JobsOptions = { jobId: randomUUID() };
  if (job.retry.attempts > 1) {
    opts.attempts = job.retry.attempts;
    opts.backoff = { type: 'exponential', delay: job.retry.backoffMs };
  }
  if (job.deduplicateBy !== undefined) {
    // Plain de-duplication would drop a job that arrives while an equal one is active.
    opts.deduplication = { id: job.deduplicateBy(data), keepLastIfActive: true };
  }
  if (options?.first === true) opts.lifo = true;
  const turn = turnOf(job, data);
  if (turn !== undefined) opts.priority = turn;
  if (beginsTrace(job)) {
    opts.telemetry = { omitContext: true };
  }
  return { name: job.name, data, opts };
}

/** @throws InvalidJobPayloadError */
export function parsePayload<Job extends JobDefinition>(job: Job, data: unknown): JobPayload<Job> {
  const schema: Job['payload'] = job.payload;
  const result = z.safeParse(schema, data);
  if (!result.success) {
    const faults = result.error.issues.map(
      (issue) => `${issue.path.join('.') || 'payload'}: ${issue.message}`,
    );
    throw new InvalidJobPayloadError(job.name, faults.join('; '));
  }
  return result.data;
}
