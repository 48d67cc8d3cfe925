import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compileCache, parentWatchdog } from './paths.mjs';
import { watchStarter } from './watch-starter.mjs';

/**
 * Runs the program in our place: with our standard streams, our signals, and its exit status as ours. It is tied
 * to us by a pipe (packages/local/src/parent-watchdog), so that it ends in order even when we are killed.
 */
export function runProgram({ node, args }) {
  const child = spawn(node, ['--import', pathToFileURL(parentWatchdog).href, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env: {
      ...process.env,
      // Compiled modules halve the processor time that a process takes to start (decision 0350).
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? compileCache,
      OUTDIAL_LIFELINE_FD: '3',
      PATH: [dirname(node), process.env.PATH].filter(Boolean).join(delimiter),
    },
  });
  // The program takes a repeated signal for the same wish, so that Ctrl-C, which reaches it directly, may come twice.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  watchStarter(() => child.kill('SIGTERM'));

  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      process.exitCode = code ?? 128 + (constants.signals[signal] ?? 0);
      resolve();
      // The watchdog and signal handlers must not keep us.
      process.exit();
    });
  });
}
