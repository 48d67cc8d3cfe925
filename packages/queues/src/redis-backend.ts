import { Queue, Worker } from 'bullmq';
import type { JobDefinition } from '@outdial/contracts';
import type { BackendRole, JobQueue, JobWorker, QueueBackend, WorkerSpec } from './backend.ts';
import { defaultRedisPrefix, type QueueBackendConfig } from './backend-config.ts';
import { isConnectionFailure } from './connection-failure.ts';
import { ConnectionWatch } from './connection-watch.ts';
import type { QueueLog } from './ports.ts';
import { LostJobs } from './lost-jobs.ts';
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
