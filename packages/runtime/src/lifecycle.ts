import { EnvError, loadEnv, type SettingsOf } from './env/load-env.ts';
import type { EnvFragment } from './env/fragment.ts';
import { logEnv } from './env/fragments.ts';
import { tracingEnv } from './env/tracing-fragment.ts';
import { readVariableFiles } from './env/variable-files.ts';
import { createLogger, type Logger } from './logger.ts';
import { Shutdown } from './shutdown.ts';
import type { TracingSettings } from './tracing/start-tracing.ts';

/** The process was started with an environment that is not right (`EX_CONFIG` of sysexits). */
export const EXIT_BAD_ENVIRONMENT = 78;

/** Docker and the local stack kill after ten seconds. */
const SHUTDOWN_DEADLINE_MS = 9_000;

export interface ProcessOptions<Parts extends Readonly<Record<string, EnvFragment<unknown>>>> {
  readonly service: string;
  /** The environment fragments of the process. */
  readonly env: Parts;
  /** How long a shutdown may take; more than nine seconds only where the supervisor waits that long. */
  readonly shutdownDeadlineMs?: (env: SettingsOf<Parts>) => number;
  /** Starts everything and returns; what it started keeps the process alive. */
  readonly main: (context: ProcessContext<SettingsOf<Parts>>) => Promise<void>;
}

export interface ProcessContext<Settings> {
  readonly service: string;
  readonly env: Settings;
  readonly log: Logger;
  readonly shutdown: Shutdown;
}

/**
 * Runs a process from its environment to its end: SIGTERM and SIGINT shut it down in order; an uncaught error is logged and ends it
 * with status 1.
 */
export async function run<Parts extends Readonly<Record<string, EnvFragment<unknown>>>>({
  service,
  env: parts,
  shutdownDeadlineMs = () => SHUTDOWN_DEADLINE_MS,
  main,
}: ProcessOptions<Parts>): Promise<void> {
  const { env, log, tracing } = readEnvironment(service, parts);
  const shutdown = new Shutdown();
  let ending = false;

  async function end(exitCode: number): Promise<void> {
    // Ctrl-C reaches the whole process group, and a parent may pass it on too: once is enough.
    if (ending) return;
    ending = true;
    const inTime = await shutdown.run(log, shutdownDeadlineMs(env));
    log.info({}, 'stopped');
    process.exit(inTime ? exitCode : 1);
  }

  const onSignal = (signal: NodeJS.Signals) => {
    log.info({ signal }, 'stopping');
    void end(0);
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  const onFatal = (error: unknown) => {
    log.fatal({ err: error }, 'uncaught error');
    void end(1);
  };
  process.on('uncaughtException', onFatal);
  process.on('unhandledRejection', onFatal);

  try {
    if (tracing !== null) {
      // Only here: the SDK takes time and memory that a process which is not traced need not spend.
      const { startTracing } = await import('./tracing/start-tracing.ts');
      const started = startTracing({ service, settings: tracing, log });
      shutdown.add('tracing', () => started.stop());
    }
    await main({ service, env, log, shutdown });
  } catch (error) {
    log.fatal({ err: error }, 'could not start');
    await end(1);
  }
}

function readEnvironment<Parts extends Readonly<Record<string, EnvFragment<unknown>>>>(
  service: string,
  parts: Parts,
): { env: SettingsOf<Parts>; log: Logger; tracing: TracingSettings | null } {
  try {
    // Adapters of further providers read their secrets from there, by names that are in the database.
    Object.assign(process.env, readVariableFiles(process.env, [...Object.values(parts), logEnv, tracingEnv]));
    // Read together, so that all faults are named at once.
    const { own, logging, tracing } = loadEnv(
      { own: together(parts), logging: logEnv, tracing: tracingEnv },
      process.env,
    );
    return { env: own, log: createLogger({ service, level: logging.level }), tracing };
  } catch (error) {
    if (error instanceof EnvError) {
      process.stderr.write(`${service}: ${error.message}\n`);
      process.exit(EXIT_BAD_ENVIRONMENT);
    }
    throw error;
  }
}

function together<Parts extends Readonly<Record<string, EnvFragment<unknown>>>>(
  parts: Parts,
): EnvFragment<SettingsOf<Parts>> {
  const fragments = Object.entries(parts);
  return {
    variables: Object.fromEntries(fragments.flatMap(([, part]) => Object.entries(part.variables))),
    read(source, report) {
      const settings = fragments.map(([name, part]) => [name, part.read(source, report)] as const);
      // A part without a result has reported why, and then this is never read.
      return Object.fromEntries(settings) as SettingsOf<Parts>;
    },
  };
}
