import type { TelephonyProvider } from '@outdial/core';
import type { Clock } from '@outdial/core';
import { createApp, startServer, type ApiConfig } from '@outdial/api';
import {
  connect,
  createPostgresFileStore,
  ensureProvider,
  poolUse,
  setProvider,
  type Db,
  type OrganizationChange,
  type ProviderChanges,
} from '@outdial/db';
import {
  createProviderDirectory,
  type EndingDeps,
  type DialingSettings,
  type MediaRuntimes,
} from '@outdial/engine';
import { buildProvider, type TelephonySettings } from '@outdial/providers';
import { openPublisher, openQueues } from '@outdial/queues';
import { createMetrics, systemClock, type Metrics, type OpsCredentials } from '@outdial/runtime';
import { dialingMetrics } from '@outdial/service';
import { startScheduler } from '@outdial/scheduler';
import { startWorker } from '@outdial/worker';
import { deliverWebhooksHandler } from '@outdial/worker/deliver-webhooks';
import { createGiveWay, createWebhookClient } from '@outdial/webhooks';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import type { QueueBackendName } from '../services/services.ts';
import { closeAll, once } from './close-all.ts';
import { createEngineClock, type EngineClock } from './engine-clock.ts';
import { makeOrganization, type TestOrganization } from './organization.ts';
import { openTestQueues } from './test-queues.ts';
import { waitFor } from './wait-for.ts';
import { createStackLog, type StackLog } from './stack-log.ts';

export interface StackOptions {
  backend: QueueBackendName;
  /** A Redis of the test's own. Default: that of the run. */
  redisUrl?: string;
  /** An existing database, which is dropped when the stack closes. Default: a new one. */
  database?: TestDatabase;
  /** The initial time of the engine's clock. Default: a Monday, 2027-03-01, 09:00 in New York. */
  startAt?: string;
  workers?: number;
  schedulers?: number;
  /** The call times of the simulated carrier. Default zero: a call ends as soon as it is placed. */
  simulator?: { ringMs?: number; talkMs?: number };
  settings?: Partial<DialingSettings>;
  /** Enables metrics, with the clock by which the api computes the age of jobs. */
  watched?: WatchedStack;
  /** Assigns calls to voice processes, which the test starts. */
  mediaRuntimes?: (db: Db) => MediaRuntimes;
  /** Overrides for the api. */
  api?: Partial<ApiConfig>;
  /** Adapters of the test, by the names of their rows. Create these with `setProvider`. */
  providers?: Readonly<Record<string, (baseUrl: string) => TelephonyProvider>>;
  /** The installation's settings for providers other than the simulator; create their rows with `setProvider`. */
  telephony?: (baseUrl: string) => Partial<TelephonySettings>;
}

export interface WatchedStack {
  api: Metrics;
  scheduler: Metrics;
  worker: Metrics;
  /** The credential for the api's `/metrics`. */
  ops: OpsCredentials;
  clock: Clock;
}

/** The whole service in this process, with its own database and queues. */
export interface Stack {
  /** The URL of the api. */
  baseUrl: string;
  databaseUrl: string;
  db: Db;
  /** The dependencies of engine functions outside of workers and schedulers. */
  control: EndingDeps;
  clock: EngineClock;
  /** The workers' adapters, by the names of their rows. */
  providers: ReadonlyMap<string, TelephonyProvider>;
  log: StackLog;
  /** The number of refusals by the gate so far, by reason. */
  gateRefusals: Map<string, number>;
  organization(change?: OrganizationChange): Promise<TestOrganization>;
  /** Changes a simulated carrier, or creates one with that name. */
  setProvider(name: string, changes: ProviderChanges): Promise<void>;
  /** Starts another worker, which also takes existing jobs. */
  startWorker(): void;
  /** Stops all workers, as if their machine failed. */
  stopWorkers(): Promise<void>;
  /** Starts another scheduler. */
  startScheduler(): void;
  /** Resolves when no job is left. */
  jobsDone(): Promise<void>;
  /** Throws if a connection is still open, or if an unexpected error was logged. */
  close(): Promise<void>;
}

export const mondayMorning = '2027-03-01T09:00:00-05:00';

const defaultSettings: DialingSettings = {
  ringTimeoutSeconds: 30,
  maxCallSeconds: 600,
  callQueueTimeoutSeconds: 60,
};

const apiConfig: ApiConfig = {
  publicUrl: null,
  installationProvider: 'simulator',
  callQueueTimeoutSeconds: defaultSettings.callQueueTimeoutSeconds,
  jsonBodyLimitBytes: 1024 * 1024,
  uploadLimitBytes: 1024 * 1024,
  knowledgeTokenSecret: null,
  itemLimits: { itemsPerBase: 100, bytesPerOrganization: 100 * 1024 * 1024 },
  corsOrigins: [],
  jwt: null,
  allowPrivateWebhooks: true,
  ops: null,
};

export async function startStack(options: StackOptions): Promise<Stack> {
  const opened: Array<() => Promise<unknown>> = [];
  try {
    return await openStack(options, opened);
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}

async function openStack(options: StackOptions, opened: Array<() => Promise<unknown>>): Promise<Stack> {
  const settings = { ...defaultSettings, ...options.settings };
  const database = options.database ?? (await createTestDatabase());
  opened.push(() => database.drop());
  const stackLog = createStackLog();
  const log = stackLog.logger;
  const testQueues = await openTestQueues(options.backend, {
    databaseUrl: database.databaseUrl,
    redisUrl: options.redisUrl,
  });
  opened.push(() => testQueues.dispose());

  const openProcess = (applicationName: string, poolMax: number) => {
    // A machine that stalls for ten seconds is no fault of a test.
    const connectTimeoutMs = 60_000;
    const processDb = connect({
      databaseUrl: database.databaseUrl,
      poolMax,
      applicationName,
      connectTimeoutMs,
    });
    opened.push(() => processDb.destroy());
    const publisher = openPublisher(testQueues.config, { log });
    opened.push(() => publisher.close());
    return { db: processDb, publisher, log, metrics: { callEnded: () => undefined } };
  };

  const control = openProcess('test', 6);
  const clock = createEngineClock(control, { wakes: (options.schedulers ?? 1) > 0 });
  await clock.set(options.startAt ?? mondayMorning);
  await ensureProvider(control.db, { name: 'simulator', adapter: 'simulator' });
  const times = { ringMs: options.simulator?.ringMs ?? 0, talkMs: options.simulator?.talkMs ?? 0 };
  let baseUrl = '';
  const directory = createProviderDirectory({
    db: control.db,
    build: (row) =>
      options.providers?.[row.name]?.(baseUrl) ??
      buildProvider(row, { simulator: times, ...options.telephony?.(baseUrl) }),
  });
  await directory.refresh();

  const gateRefusals = new Map<string, number>();
  // Receivers of webhooks listen on this machine.
  const webhookClient = createWebhookClient({ allowPrivateTargets: true });
  opened.push(async () => webhookClient.close());
  const workerStops: Array<() => Promise<void>> = [];
  const { watched } = options;
  const openWorker = () => {
    const process = openProcess('worker', 6);
    const worker = startWorker({
      ...process,
      furtherHandlers: [
        deliverWebhooksHandler({
          ...process,
          client: webhookClient,
          giveWay: createGiveWay(),
          random: Math.random,
          onAttempt: (result, durationMs) => watched?.worker.webhookAttempted(result, durationMs),
        }),
      ],
      queue: testQueues.config,
      concurrency: 20,
      providers: directory.providers,
      files: createPostgresFileStore(process.db),
      settings,
      ...(options.mediaRuntimes && { mediaRuntimes: options.mediaRuntimes(process.db) }),
      metrics: {
        callPlaced: () => undefined,
        callEnded: () => undefined,
        ...(watched && dialingMetrics(watched.worker)),
        gateRefused: (reason) => gateRefusals.set(reason, (gateRefusals.get(reason) ?? 0) + 1),
      },
      ...(watched && { jobMetrics: watched.worker, ...sweepMetrics(watched.worker) }),
    });
    const stop = once(() => worker.stop({ drainMs: 5_000 }));
    workerStops.push(stop);
    opened.push(stop);
  };
  for (let n = 0; n < (options.workers ?? 1); n++) openWorker();
  const openScheduler = () => {
    const scheduler = startScheduler({
      ...openProcess('scheduler', 3),
      files: createPostgresFileStore(control.db),
      ...(watched && sweepMetrics(watched.scheduler)),
    });
    opened.push(() => scheduler.stop());
  };
  for (let n = 0; n < (options.schedulers ?? 1); n++) openScheduler();

  const api = openProcess('api', 6);
  watched?.api.watchPool(() => poolUse(api.db));
  const queues = openQueues(testQueues.config, { log });
  opened.push(() => queues.close());
  const app = createApp({
    ...api,
    queues,
    files: createPostgresFileStore(api.db),
    clock: watched?.clock ?? systemClock,
    metrics: watched?.api ?? createMetrics({ service: 'api' }),
    config: {
      ...apiConfig,
      callQueueTimeoutSeconds: settings.callQueueTimeoutSeconds,
      ops: watched?.ops ?? null,
      ...options.api,
    },
    providers: directory.providers,
  });
  const server = await startServer(app, { port: 0, host: '127.0.0.1' });
  opened.push(() => server.close({ drainMs: 1_000 }));
  baseUrl = `http://127.0.0.1:${server.port}`;

  return {
    baseUrl,
    databaseUrl: database.databaseUrl,
    db: control.db,
    control,
    clock,
    providers: directory.providers,
    log: stackLog,
    gateRefusals,
    async organization(change) {
      const now = await clock.now();
      return makeOrganization(control.db, { baseUrl, now, ...(change && { change }) });
    },
    async setProvider(name, changes) {
      const now = await clock.now();
      await setProvider(control.db, { name, changes: { adapter: 'simulator', ...changes }, now });
      await directory.refresh();
    },
    startWorker: openWorker,
    async stopWorkers() {
      await Promise.all(workerStops.splice(0).map((stop) => stop()));
    },
    startScheduler: openScheduler,
    async jobsDone() {
      let looksWithoutJobs = 0;
      await waitFor('all jobs to be done', async () => {
        const counts = await Promise.all(
          queues.queues.map((queue) => queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed')),
        );
        const noJobs = counts.every((count) => Object.values(count).every((jobs) => jobs === 0));
        // The counts are read one after the other, and a job may pass from one that is still to be read to one that was.
        looksWithoutJobs = noJobs ? looksWithoutJobs + 1 : 0;
        return looksWithoutJobs === 2;
      });
    },
    async close() {
      await closeAll(opened);
      const errors = stackLog.unexpectedErrors();
      if (errors.length > 0) throw new LoggedErrorsError(errors);
    },
  };
}

function sweepMetrics(metrics: Metrics) {
  return {
    onRepaired: (sweep: string, count: number) => metrics.sweepRepaired.inc({ sweep }, count),
    onFailed: (sweep: string, count: number) => metrics.sweepFailed.inc({ sweep }, count),
  };
}

class LoggedErrorsError extends Error {
  readonly code = 'logged_errors';

  constructor(errors: readonly string[]) {
    super(`the stack logged ${errors.length} errors:\n  ${errors.slice(0, 5).join('\n  ')}`);
    this.name = 'LoggedErrorsError';
  }
}
