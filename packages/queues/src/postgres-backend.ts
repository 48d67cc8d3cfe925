import {
  type BackendFactory,
  type PostgresConnectionOptions,
  PostgresQueueBackend,
  Queue,
  Worker,
} from 'bullmq';
import type { JobDefinition } from '@outdial/contracts';
import type { BackendRole, JobQueue, JobWorker, QueueBackend, WorkerSpec } from './backend.ts';
import { defaultPostgresSchema, type QueueBackendConfig } from './backend-config.ts';
import { isConnectionFailure } from './connection-failure.ts';
import { ConnectionWatch } from './connection-watch.ts';
import { rejectAfter } from '@outdial/core';
import type { QueueLog } from './ports.ts';
import { SharedPostgresConnection } from './shared-postgres-connection.ts';
import { queueTelemetry } from './telemetry.ts';
import { maxEventsKept } from './worker-settings.ts';

const defaultPoolMax = { publisher: 2, consumer: 4 } as const satisfies Record<BackendRole, number>;

const closeTimeoutMs = 1_000;

type PostgresQueue = Queue<
  unknown,
  unknown,
  string,
  unknown,
  unknown,
  string,
  PostgresQueueBackend,
  PostgresConnectionOptions
>;

/** Queues on BullMQ's Postgres backend. All queues of the publisher or consumer share one pool and one listener. */
export function openPostgresBackend(
  config: Extract<QueueBackendConfig, { kind: 'postgres' }>,
  role: BackendRole,
  log: QueueLog,
): QueueBackend {
  const watch = new ConnectionWatch(log, 'postgres');
  const connection = new SharedPostgresConnection(
    {
      url: config.url,
      schema: config.schema ?? defaultPostgresSchema,
      poolMax: config.poolMax ?? defaultPoolMax[role],
    },
    watch,
  );
  const backendFactory: BackendFactory<PostgresQueueBackend, PostgresConnectionOptions> = (name, opts) =>
    new PostgresQueueBackend(connection, name, opts);
  const telemetry = queueTelemetry();
  const traced = telemetry && { telemetry };
  let closing = false;

  const onError = (report: (error: Error) => void) => (error: Error) => {
    if (closing) return;
    if (isConnectionFailure(error)) {
      watch.lost(error.message);
    } else {
      report(error);
    }
  };

  function openPostgresQueue(job: JobDefinition): PostgresQueue {
    const queue: PostgresQueue = new Queue(
      job.name,
      { ...traced, connection: connection.pool, streams: { events: { maxLen: maxEventsKept } } },
      backendFactory,
    );
    queue.on(
      'error',
      onError((error) => log.error({ job: job.name, err: error }, 'queue error')),
    );
    return queue;
  }

  return {
    openBullQueue(job) {
      // bull-board's types name the default backend, but it only uses what every backend has.
      return openPostgresQueue(job) as unknown as Queue;
    },

    openQueue(job): JobQueue {
      const queue = openPostgresQueue(job);
      return {
        whenReady: () => queue.waitUntilReady(),
        add: ({ name, data, opts }) => queue.add(name, data, opts),
        addBulk: (jobs) => queue.addBulk(jobs),
        close: () => queue.close(),
      };
    },

    openWorker({ job, process, settings, onError: report, onStalled, onLocksLost }: WorkerSpec): JobWorker {
      const worker = new Worker(
        job.name,
        process,
        // How often an idle queue is polled although NOTIFY ends the wait at once.
        { ...settings, ...traced, connection: connection.pool, drainDelay: 10 },
        backendFactory,
      );
      worker.on('error', onError(report));
      worker.on('stalled', onStalled);
      worker.on('lockRenewalFailed', onLocksLost);
      return { close: () => worker.close() };
    },

    async ping() {
      await connection.waitUntilReady();
      await connection.write();
      return null;
    },

    async close() {
      closing = true;
      watch.silence();
      // On a dead connection, pg would wait forever for the server to close.
      await rejectAfter(connection.end(), closeTimeoutMs, () => new Error('did not close')).catch(
        () => undefined,
      );
    },
  };
}
