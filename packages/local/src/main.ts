import { once } from 'node:events';
import { constants } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Shutdown } from '@outdial/runtime';
import { helpText, parseOptions } from './options/parse-options.ts';
import { start } from './start.ts';
import { StartError } from './start-error.ts';

/** Ctrl-C and SIGTERM end everything within ten seconds. Supervisors and parent watchdogs then kill any process that hangs. */
const shutdownMs = 9_000;
/** Time for a step that cannot be interrupted, such as creating a database. */
const startEndsMs = 2_500;

const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');
// npm runs scripts in the folder of package.json. INIT_CWD is the folder in which the user ran npm.
const folder = process.cwd() === root ? (process.env['INIT_CWD'] ?? root) : process.cwd();

const interruption = new AbortController();
let received: NodeJS.Signals | null = null;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // The terminal and npm may both send the signal.
  process.on(signal, () => {
    received ??= signal;
    interruption.abort();
  });
}
// If the reader of our output is gone, the database still needs a clean shutdown.
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);

process.exit(await run());

async function run(): Promise<number> {
  const shutdown = new Shutdown();
  const complain = (text: string) => process.stderr.write(`outdial: ${text}\n`);
  const log = { error: (_fields: unknown, message?: string) => complain(message ?? '') };
  const uncaught = Promise.withResolvers<never>();
  process.on('uncaughtException', (error) => uncaught.reject(error));
  process.on('unhandledRejection', (error) => uncaught.reject(error));

  let status: number;
  try {
    const options = parseOptions(process.argv.slice(2), { env: process.env, folder, home: process.cwd() });
    if (options === null) {
      process.stdout.write(helpText);
      return 0;
    }
    const started = start(options, {
      env: process.env,
      out: process.stdout,
      isTerminal: process.stdout.isTTY,
      signal: interruption.signal,
      shutdown,
    });
    started.catch(() => undefined);
    status = await Promise.race([started, uncaught.promise, interrupted(started)]);
  } catch (error) {
    if (received === null) {
      const failure = describeFailure(error);
      complain(failure.text);
      status = failure.exitStatus;
    } else {
      status = 128 + constants.signals[received];
    }
  }
  if (received !== null) process.stdout.write('Stopping …\n');
  const inTime = await shutdown.run(log, shutdownMs);
  if (received !== null && inTime) process.stdout.write('Stopped.\n');
  return inTime ? status : Math.max(status, 1);
}

/** Rejects a while after the interruption, unless the start has ended by then. */
async function interrupted(started: Promise<number>): Promise<number> {
  if (!interruption.signal.aborted) await once(interruption.signal, 'abort');
  await Promise.race([started.catch(() => undefined), delay(startEndsMs)]);
  return Promise.race([started, Promise.reject(new Error('interrupted'))]);
}

/** One line for the terminal without a stack, and the exit status. */
function describeFailure(error: unknown): { text: string; exitStatus: number } {
  if (error instanceof StartError) return { text: error.message, exitStatus: error.exitStatus };
  const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { text: `Unexpected error: ${words.split('\n')[0]}`, exitStatus: 1 };
}
