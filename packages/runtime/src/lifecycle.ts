import { EnvError, loadEnv, type SettingsOf } from './env/load-env.ts';
import type { EnvFragment } from './env/fragment.ts';
import { logEnv } from './env/fragments.ts';
import { tracingEnv } from './env/tracing-fragment.ts';
import { misspeltMessage, misspeltVariables } from './env/misspelt.ts';
import { readVariableFiles } from './env/variable-files.ts';
import { createLogger, type Logger } from './logger.ts';
import { Shutdown } from './shutdown.ts';
import type { TracingSettings } from './tracing/start-tracing.ts';

/** The environment is invalid (`EX_CONFIG` of sysexits). */
export const exitBadEnvironment = 78;

/** Docker and the local stack kill after ten seconds. */
const shutdownMs = 9_000;

export interface ProcessOptions<Parts extends Readonly<Record<string, EnvFragment<unknown>>>> {
  readonly service: string;
  readonly env: Parts;
  /** How long a shutdown may take. More than nine seconds need a supervisor that waits longer. */
  readonly shutdownDeadlineMs?: (env: SettingsOf<Parts>) => number;
  /** Starts everything and returns. Open sockets and timers then keep the process alive. */
  readonly main: (context: ProcessContext<SettingsOf<Parts>>) => Promise<void>;
}

export interface ProcessContext<Settings> {
  readonly service: string;
  readonly env: Settings;
  readonly log: Logger;
  readonly shutdown: Shutdown;
}

/** Runs a process. SIGTERM and SIGINT shut it down in order. An uncaught error is logged and ends it with status 1. */
export async function run<Parts extends Readonly<Record<string, EnvFragment<unknown>>>>({
  service,
  env: parts,
  shutdownDeadlineMs = () => shutdownMs,
  main,
}: ProcessOptions<Parts>): Promise<void> {
  const { env, log, tracing } = readEnvironment(service, parts);
  const shutdown = new Shutdown();
  let ending = false;

  async function end(exitCode: number): Promise<void> {
    // Ctrl-C reaches the whole process group, and a parent may forward it too.
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
      // Imported only if needed, because the SDK costs time and memory.
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

const commonParts = { logging: logEnv, tracing: tracingEnv };

function readEnvironment<Parts extends Readonly<Record<string, EnvFragment<unknown>>>>(
  service: string,
  parts: Parts,
): { env: SettingsOf<Parts>; log: Logger; tracing: TracingSettings | null } {
  try {
    // Adapters of further providers read secrets from `process.env`, by names in the database.
    Object.assign(process.env, readVariableFiles(process.env, [...Object.values(parts), logEnv, tracingEnv]));
    // Loaded together, so that one error names all faults.
    const loaded = loadEnv({ ...parts, ...commonParts }, process.env);
    // TypeScript does not see through the spread of a generic object.
    const env = loaded as SettingsOf<Parts> & SettingsOf<typeof commonParts>;
    const log = createLogger({ service, level: env.logging.level });
    for (const misspelt of misspeltVariables(process.env, Object.values(parts))) {
      log.warn({ ...misspelt }, misspeltMessage(misspelt));
    }
    return { env, log, tracing: env.tracing };
  } catch (error) {
    if (error instanceof EnvError) {
      process.stderr.write(`${service}: ${error.message}\n`);
      for (const misspelt of misspeltVariables(process.env, Object.values(parts))) {
        process.stderr.write(`${service}: ${misspeltMessage(misspelt)}\n`);
      }
      process.exit(exitBadEnvironment);
    }
    throw error;
  }
}
