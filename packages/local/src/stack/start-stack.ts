import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { migrateToLatest, postgresCode } from '@outdial/db';
import { prepareQueueBackend } from '@outdial/queues';
import type { Shutdown } from '@outdial/runtime';
import type { LockedDataDirectory } from '../data-directory/lock-data-directory.ts';
import { freePort } from '../embedded-postgres/free-port.ts';
import { startEmbeddedPostgres } from '../embedded-postgres/start.ts';
import { watchPostgres, type WatchedPostgres } from '../embedded-postgres/watch-postgres.ts';
import { StartError } from '../start-error.ts';
import { describeEnd, type ProcessEnd } from '../supervise/supervise.ts';
import { portTaken } from './api-port.ts';
import type { StackEnvironment } from './environment.ts';
import { localUrl } from './local-url.ts';
import { openProcessLogs, type ProcessLogs } from './process-logs.ts';
import { startProcesses } from './processes.ts';
import { requireRedis } from './redis-reachable.ts';

const readyTimeoutMs = 45_000;

interface StackDatabase {
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

  const baseUrl = localUrl(environment.settings.http.host, port);
  const shared: Record<string, string | undefined> = {
    ...environment.variables,
    DATABASE_URL: args.database.url,
    PORT: String(port),
  };
  const { talks } = environment;
  const { host: healthHost, port: healthPort } = environment.settings.health;
  const health = await healthPorts(healthPort);
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
      scheduler: localUrl(healthHost, health.scheduler),
      worker: localUrl(healthHost, health.worker),
      ...(talks && { voice: localUrl(healthHost, health.voice) }),
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

const unreachable = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EAI_AGAIN',
  'ECONNRESET',
]);

/** One line about a failure to prepare the database, without its password. */
function databaseFault(error: unknown, isEmbedded: boolean): StartError {
  const code = postgresCode(error);
  const database = isEmbedded ? 'The embedded database' : 'The database of DATABASE_URL';
  return new StartError('database', `${database} ${faultOf(code, error)}.`, { cause: error });
}

function faultOf(code: string, error: unknown): string {
  if (unreachable.has(code)) return `cannot be reached (${code})`;
  if (code === '3D000') return 'does not exist';
  if (code === '28P01' || code === '28000') return 'refused the user or the password';
  if (code === '42501') return 'does not let this user create tables';
  const words = error instanceof Error ? error.message.split('\n')[0] : String(error);
  return `could not be prepared: ${words ?? ''}`;
}

const pollMs = 40;
const answerTimeoutMs = 3_000;

/** Waits until every `/readyz` reports success. @throws StartError after `timeoutMs`, or the signal's reason */
export async function waitUntilReady(args: {
  /** Base URLs by process name. */
  urls: Readonly<Record<string, string>>;
  timeoutMs: number;
  signal: AbortSignal;
}): Promise<void> {
  const deadline = performance.now() + args.timeoutMs;
  await Promise.all(
    Object.entries(args.urls).map(async ([name, url]) => {
      for (;;) {
        const fault = await readinessFault(url);
        if (fault === null) return;
        args.signal.throwIfAborted();
        if (performance.now() > deadline) {
          throw new StartError('not_ready', `The ${name} did not become ready: ${fault}.`);
        }
        await delay(pollMs);
      }
    }),
  );
}

async function readinessFault(url: string): Promise<string | null> {
  try {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(answerTimeoutMs) });
    const body: unknown = await answer.json();
    return answer.ok ? null : describe(body);
  } catch {
    return 'it does not respond';
  }
}

function describe(body: unknown): string {
  if (typeof body !== 'object' || body === null || !('reasons' in body)) return 'it gives no reason';
  const reasons = Object.entries(body.reasons ?? {}).map(([what, why]) => `${what} ${String(why)}`);
  return reasons.join(', ');
}
