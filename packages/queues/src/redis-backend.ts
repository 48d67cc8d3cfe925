import { Queue, Worker } from 'bullmq';
import type { JobDefinition } from '@outdial/contracts';
import type { BackendRole, JobQueue, JobWorker, QueueBackend, WorkerSpec, QueuedJob } from './backend.ts';
import { defaultRedisPrefix, type QueueBackendConfig } from './backend-config.ts';
import { isConnectionFailure } from './connection-failure.ts';
import { ConnectionWatch } from './connection-watch.ts';
import type { QueueLog } from './ports.ts';
import { connectRedis, evictionsReader, writeToRedis } from './redis-client.ts';
import { queueTelemetry } from './telemetry.ts';
import { maxEventsKept } from './worker-settings.ts';

/** How long a publish waits for a lost connection to come back. */
const reconnectGraceMs = 1_500;

/** Queues on Redis. The publisher or consumer has one client for all commands, and each worker adds one for its blocking wait. */
export function openRedisBackend(
  config: Extract<QueueBackendConfig, { kind: 'redis' }>,
  role: BackendRole,
  log: QueueLog,
): QueueBackend {
  const watch = new ConnectionWatch(log, 'redis');
  const client = connectRedis(config, role, watch);
  const readEvictions = evictionsReader(client);
  // The braces are the hash tag that puts all keys of one queue on one node of a cluster, and different queues on
  // different nodes: https://docs.bullmq.io/bull/patterns/redis-cluster
  const prefixOf = (job: JobDefinition) => `{${config.prefix ?? defaultRedisPrefix}:${job.name}}`;
  const telemetry = queueTelemetry();
  const traced = telemetry && { telemetry };
  let closing = false;

  const onError = (report: (error: Error) => void) => (error: Error) => {
    // The client reports connection errors to the watch itself. A closing client rejects the commands in progress.
    if (!closing && !isConnectionFailure(error)) report(error);
  };

  function openBullQueue(job: JobDefinition): Queue {
    const queue = new Queue(job.name, {
      connection: client,
      prefix: prefixOf(job),
      streams: { events: { maxLen: maxEventsKept } },
      ...traced,
    });
    queue.on(
      'error',
      onError((error) => log.error({ job: job.name, err: error }, 'queue error')),
    );
    return queue;
  }

  return {
    openBullQueue,

    openQueue(job): JobQueue {
      const bullQueue = openBullQueue(job);
      const lostJobs = new LostJobs(bullQueue);
      const up = () => watch.whenUp(reconnectGraceMs);
      return {
        whenReady: () => bullQueue.waitUntilReady(),
        async add(job) {
          await up();
          const { id } = await bullQueue.add(job.name, job.data, job.opts);
          await lostJobs.replace([{ job, id }]);
        },
        async addBulk(jobs) {
          await up();
          const added = await bullQueue.addBulk(jobs);
          await lostJobs.replace(jobs.map((job, at) => ({ job, id: added[at]?.id })));
        },
        close: () => bullQueue.close(),
      };
    },

    openWorker({ job, process, settings, onError: report, onStalled, onLocksLost }: WorkerSpec): JobWorker {
      const worker = new Worker<unknown, void>(job.name, process, {
        ...settings,
        ...traced,
        connection: client,
        prefix: prefixOf(job),
        // Also limits how long a blocking wait can hang on a dead connection.
        drainDelay: 5,
      });
      worker.on('error', onError(report));
      worker.on('stalled', onStalled);
      worker.on('lockRenewalFailed', onLocksLost);
      return { close: () => worker.close() };
    },

    async ping() {
      await watch.whenUp(reconnectGraceMs).catch(() => {
        throw new Error(watch.downReason);
      });
      await writeToRedis(client, config.prefix ?? defaultRedisPrefix);
      return readEvictions();
    },

    close() {
      closing = true;
      watch.silence();
      client.disconnect();
      return Promise.resolve();
    },
  };
}

const periodMs = 1_000;
const looksPerPeriod = 20;

/**
 * Replaces jobs that stand for equal ones and that no worker will find: a Redis that evicts keys may lose the list of waiting jobs and keep the jobs.
 * Otherwise no equal job could ever be added again. Sweeps publish due jobs repeatedly, so it is enough to look at a few.
 */
class LostJobs {
  readonly #queue: Queue;
  #lookedAt = new Set<string>();
  #sinceMs = Number.NEGATIVE_INFINITY;

  constructor(queue: Queue) {
    this.#queue = queue;
  }

  /** @param added jobs with the ids that the queue returned: another than its own if an equal job is there */
  async replace(added: ReadonlyArray<{ job: QueuedJob; id: string | undefined }>): Promise<void> {
    for (const { job, id } of added) {
      if (id === undefined || id === job.opts.jobId || !this.#takeLook(id)) continue;
      if ((await this.#queue.getJobState(id)) !== 'unknown') continue;
      // Keeps a job that a worker has locked.
      await this.#queue.remove(id);
      await this.#queue.add(job.name, job.data, job.opts);
    }
  }

  #takeLook(id: string): boolean {
    if (performance.now() - this.#sinceMs >= periodMs) {
      this.#sinceMs = performance.now();
      this.#lookedAt = new Set();
    }
    if (this.#lookedAt.has(id) || this.#lookedAt.size >= looksPerPeriod) return false;
    this.#lookedAt.add(id);
    return true;
  }
}
