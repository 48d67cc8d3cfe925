import { join } from 'node:path';
import { migrateToLatest } from '@outdial/db';
import { prepareQueueBackend } from '@outdial/queues';
import type { Shutdown } from '@outdial/runtime';
import type { LockedDataDirectory } from '../data-directory/lock-data-directory.ts';
import { freePort } from '../embedded-postgres/free-port.ts';
import { startEmbeddedPostgres } from '../embedded-postgres/start.ts';
import { watchPostgres, type WatchedPostgres } from '../embedded-postgres/watch-postgres.ts';
import { StartError } from '../start-error.ts';
import { describeEnd, type ProcessEnd } from '../supervise/supervise.ts';
import { portTaken } from './api-port.ts';
import { databaseFault } from './database-fault.ts';
import type { StackEnvironment } from './environment.ts';
import { openProcessLogs, type ProcessLogs } from './process-logs.ts';
import { startProcesses } from './processes.ts';
import { requireRedis } from './redis-reachable.ts';
import { waitUntilReady } from './wait-until-ready.ts';

const readyTimeoutMs = 45_000;

export interface StackDatabase {
  url: string;
  /** Null for the user's own database. */
  embedded: { watched: WatchedPostgres; logPath: string } | null;
}

/** Starts or checks the database, and creates all tables. */
export async function startDatabase(args: {
  directory: LockedDataDirectory;
  environment: StackEnvironment;
  shutdown: Shutdown;
  signal: AbortSignal;
}): Promise<StackDatabase> {
  const { environment, directory, shutdown } = args;
  const { queue } = environment.settings;
  if (queue.kind === 'redis') await requireRedis(queue);
  const own = environment.databaseUrl;
  let url = own ?? '';
  let embedded: StackDatabase['embedded'] = null;
  if (own === null) {
    const first = await startEmbeddedPostgres({ directory });
    const watched = watchPostgres(first, () => startEmbeddedPostgres({ directory, port: first.port }));
    shutdown.add('postgres', () => watched.stop());
    embedded = { watched, logPath: first.logPath };
    url = first.databaseUrl;
  }
  args.signal.throwIfAborted();
  try {
    await migrateToLatest({ databaseUrl: url });
    await prepareQueueBackend(queue.kind === 'postgres' ? { ...queue, url } : queue);
  } catch (error) {
    throw databaseFault(error, own === null);
  }
  return { url, embedded };
}

export interface RunningStack {
  baseUrl: string;
  /** The environment of the api, which the others share. */
  variables: Readonly<Record<string, string | undefined>>;
  /** Aborted with a `StartError` when a part of the stack has exited and will not be restarted. */
  failed: AbortSignal;
}

/** Starts the processes on a prepared database and waits until they are ready. */
export async function startStack(args: {
  directory: LockedDataDirectory;
  environment: StackEnvironment;
  database: StackDatabase;
  /** From `chooseApiPort`. */
  port: number;
  shutdown: Shutdown;
  signal: AbortSignal;
  notice: (text: string) => void;
  stream: ((name: string, line: string) => void) | null;
}): Promise<RunningStack> {
  const { environment, port, shutdown } = args;
  const logs = openProcessLogs({
    folder: join(args.directory.path, 'logs'),
    notice: args.notice,
    stream: args.stream,
  });
  shutdown.add('logs', () => logs.close());

  const baseUrl = `http://127.0.0.1:${port}`;
  const shared: Record<string, string | undefined> = {
    ...environment.variables,
    DATABASE_URL: args.database.url,
    PORT: String(port),
  };
  const { talks } = environment;
  const health = await healthPorts(environment.settings.health.port);
  const processes = startProcesses({
    environments: {
      // No PUBLIC_URL by default: the api then uses the address of each request in its answers.
      api: shared,
      scheduler: { ...shared, HEALTH_PORT: String(health.scheduler) },
      worker: {
        ...shared,
        HEALTH_PORT: String(health.worker),
        PUBLIC_URL: shared['PUBLIC_URL'] ?? baseUrl,
      },
      // Ctrl-C must not wait for conversations.
      ...(talks && {
        voice: { VOICE_DRAIN_SECONDS: '1', ...shared, HEALTH_PORT: String(health.voice) },
      }),
    },
    onLine: (name, line) => logs.write(name, line),
  });
  shutdown.add('processes', () => {
    logs.quiet();
    return processes.stop();
  });

  const { embedded } = args.database;
  const failure = new AbortController();
  void processes.unexpectedEnd.then((end) => failure.abort(processFault(end, logs, port)));
  const postgresFault = (reason: string) =>
    new StartError('database_ended', `Postgres exited (${reason}). Its log is ${embedded?.logPath}`);
  void embedded?.watched.gaveUp.then((reason) => failure.abort(postgresFault(reason)));
  await waitUntilReady({
    urls: {
      api: baseUrl,
      scheduler: `http://127.0.0.1:${health.scheduler}`,
      worker: `http://127.0.0.1:${health.worker}`,
      ...(talks && { voice: `http://127.0.0.1:${health.voice}` }),
    },
    timeoutMs: readyTimeoutMs,
    signal: AbortSignal.any([args.signal, failure.signal]),
  });
  failure.signal.throwIfAborted();
  processes.keepRunning(args.notice);
  embedded?.watched.keepRunning(args.notice);
  return { baseUrl, variables: shared, failed: failure.signal };
}

/** Each process needs its own port: of a chosen one, the worker takes the next and voice the one after that. */
async function healthPorts(
  asked: number | undefined,
): Promise<{ scheduler: number; worker: number; voice: number }> {
  if (asked !== undefined && asked !== 0) return { scheduler: asked, worker: asked + 1, voice: asked + 2 };
  return { scheduler: await freePort(), worker: await freePort(), voice: await freePort() };
}

function processFault(end: ProcessEnd, logs: ProcessLogs, port: number): StartError {
  const problem = logs.lastProblem(end.name);
  if (end.name === 'api' && problem?.includes('EADDRINUSE')) return portTaken(port);
  const why = problem === null ? '' : ` It said: ${problem}.`;
  return new StartError('process_ended', `${describeEnd(end)}${why} Its log is ${logs.pathOf(end.name)}`);
}
