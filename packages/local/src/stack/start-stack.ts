import { join } from 'node:path';
import { migrateToLatest } from '@outdial/db';
import { prepareQueueBackend } from '@outdial/queues';
import type { Shutdown } from '@outdial/runtime';
import type { LockedDataDirectory } from '../data-directory/lock-data-directory.ts';
import { freePort } from '../embedded-postgres/free-port.ts';
import { keepPostgres, type KeptPostgres } from '../embedded-postgres/keep-postgres.ts';
import type { EmbeddedPostgres } from '../embedded-postgres/start.ts';
import { startEmbeddedPostgres } from '../embedded-postgres/start.ts';
import { StartError } from '../start-error.ts';
import { describeEnd } from '../supervise/supervise.ts';
import { findApiPort, portTaken } from './api-port.ts';
import { databaseFault } from './database-fault.ts';
import type { StackEnvironment } from './environment.ts';
import type { ProcessLogs } from './process-logs.ts';
import { openProcessLogs } from './process-logs.ts';
import { startProcesses } from './processes.ts';
import { requireRedis } from './redis-reachable.ts';
import { waitUntilReady } from './wait-until-ready.ts';

const READY_TIMEOUT_MS = 45_000;
/** As long as the processes of a killed stack take to end (parent-watchdog.ts). */
const KILLED_STACK_ENDS_MS = 10_000;

export interface StackDatabase {
  url: string;
  /** Null if the user's own database is used. */
  embedded: { kept: KeptPostgres; logPath: string } | null;
}

/** Brings up the database, embedded or the user's own, with all its tables. */
export async function startDatabase(args: {
  directory: LockedDataDirectory;
  environment: StackEnvironment;
  shutdown: Shutdown;
  signal: AbortSignal;
}): Promise<StackDatabase> {
  const { environment, shutdown } = args;
  const { queue } = environment.settings;
  if (queue.kind === 'redis') await requireRedis(queue.url);
  const own = environment.databaseUrl;
  const { directory } = args;
  const postgres = own === null ? await startEmbeddedPostgres({ directory }) : null;
  const embedded = postgres === null ? null : keepEmbedded(directory, postgres);
  if (embedded !== null) shutdown.add('postgres', () => embedded.kept.stop());
  args.signal.throwIfAborted();
  const url = own ?? postgres?.databaseUrl ?? '';
  try {
    await migrateToLatest({ databaseUrl: url });
    await prepareQueueBackend(queue.kind === 'postgres' ? { ...queue, url } : queue);
  } catch (error) {
    throw databaseFault(error, own === null);
  }
  return { url, embedded };
}

function keepEmbedded(directory: LockedDataDirectory, first: EmbeddedPostgres): StackDatabase['embedded'] {
  const kept = keepPostgres(first, () => startEmbeddedPostgres({ directory, port: first.port }));
  return { kept, logPath: first.logPath };
}

export interface RunningStack {
  baseUrl: string;
  /** The environment of the api, which the others share. */
  variables: Readonly<Record<string, string | undefined>>;
  /** Fulfilled with the reason when a part of the stack has ended unexpectedly. */
  failed: Promise<StartError>;
}

/** Brings up api, scheduler and worker on a database that is ready, and waits until they are. */
export async function startStack(args: {
  directory: LockedDataDirectory;
  environment: StackEnvironment;
  database: StackDatabase;
  /** The api's port, from `findApiPort`. */
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
  // Agents that talk here need models; without any, nothing is started that could not work.
  const talks = environment.talks;
  const health = await healthPorts(environment.settings.health.port);
  const processes = startProcesses({
    environments: {
      // Without PUBLIC_URL the api names in its answers the address that each request came to.
      api: shared,
      scheduler: { ...shared, HEALTH_PORT: String(health.scheduler) },
      worker: {
        ...shared,
        HEALTH_PORT: String(health.worker),
        PUBLIC_URL: shared['PUBLIC_URL'] ?? baseUrl,
      },
      // Ctrl-C is not kept waiting for conversations.
      ...(talks && {
        voice: { VOICE_DRAIN_SECONDS: '5', ...shared, HEALTH_PORT: String(health.voice) },
      }),
    },
    onLine: (name, line) => logs.write(name, line),
    notice: args.notice,
  });
  shutdown.add('processes', () => {
    logs.quiet();
    return processes.stop();
  });

  const failed = Promise.race([
    processes.unexpectedEnd.then((end) => endedByItself(end.name, describeEnd(end), logs, port)),
    ...(args.database.embedded === null ? [] : [databaseEnded(args.database.embedded)]),
  ]);
  const giveUp = new AbortController();
  const failure = failed.then((error) => {
    giveUp.abort(error);
    throw error;
  });
  failure.catch(() => undefined);
  const ready = waitUntilReady({
    urls: {
      api: baseUrl,
      scheduler: `http://127.0.0.1:${health.scheduler}`,
      worker: `http://127.0.0.1:${health.worker}`,
      ...(talks && { voice: `http://127.0.0.1:${health.voice}` }),
    },
    timeoutMs: READY_TIMEOUT_MS,
    signal: AbortSignal.any([args.signal, giveUp.signal]),
  });
  await Promise.race([ready, failure]);
  processes.keepRunning();
  args.database.embedded?.kept.keepRunning(args.notice);
  return { baseUrl, variables: shared, failed };
}

/** The api's port: a stack that was killed on this directory gets the time to give its own back. */
export function chooseApiPort(environment: StackEnvironment, wasKilled: boolean): Promise<number> {
  return findApiPort(environment.settings.http.port, wasKilled ? KILLED_STACK_ENDS_MS : 0);
}

/** Two processes cannot listen on one port: the worker takes the one after the scheduler's, voice the one after that. */
async function healthPorts(
  asked: number | undefined,
): Promise<{ scheduler: number; worker: number; voice: number }> {
  if (asked !== undefined && asked !== 0) return { scheduler: asked, worker: asked + 1, voice: asked + 2 };
  return { scheduler: await freePort(), worker: await freePort(), voice: await freePort() };
}

function endedByItself(name: string, what: string, logs: ProcessLogs, port: number): StartError {
  const words = logs.lastWords(name);
  if (name === 'api' && words !== null && words.includes('EADDRINUSE')) return portTaken(port);
  const why = words === null ? '' : ` It said: ${words}.`;
  return new StartError('process_ended', `${what}${why} Its log is ${logs.pathOf(name)}`);
}

async function databaseEnded({ kept, logPath }: NonNullable<StackDatabase['embedded']>): Promise<StartError> {
  const why = await kept.gaveUp;
  return new StartError('database_ended', `Postgres exited (${why}). Its log is ${logPath}`);
}
