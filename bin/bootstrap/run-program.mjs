import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compileCache, parentWatchdog } from './paths.mjs';
import { watchStarter } from './watch-starter.mjs';

/**
 * Runs the program with our standard streams, forwards signals, and exits with its status. A pipe (packages/local/src/parent-watchdog) makes it
 * shut down even if we are killed.
 */
export function runProgram({ node, args }) {
  const child = spawn(node, ['--import', pathToFileURL(parentWatchdog).href, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env: {
      ...process.env,
      // Compiled modules halve the CPU time of a start (docs/decisions/operations.md).
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? compileCache,
      OUTDIAL_PARENT_PIPE_FD: '3',
      PATH: [dirname(node), process.env.PATH].filter(Boolean).join(delimiter),
    },
  });
  // Ctrl-C also reaches the program directly, so it ignores repeated signals.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  watchStarter(() => child.kill('SIGTERM'));

  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0);
      resolve();
      // The timer of `watchStarter` and the signal handlers must not keep this process alive.
      process.exit();
    });
  });
}
