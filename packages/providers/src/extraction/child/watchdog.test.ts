import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';

/** A parser in an endless loop, with the watchdog beside it. */
const busyProgram = `
  import { Worker } from 'node:worker_threads';
  const watchdog = new Worker(new URL(process.argv[1]), { workerData: { memoryBytes: 2 ** 40 }, execArgv: [] });
  watchdog.once('online', () => {
    console.log('busy');
    for (;;);
  });`;

test('a busy parser ends when the process that started it ends', async () => {
  const watchdog = new URL('watchdog.ts', import.meta.url).href;
  const child = spawn(process.execPath, ['--input-type=module', '-e', busyProgram, watchdog], {
    stdio: ['ignore', 'pipe', 'inherit', 'ignore', 'pipe'],
  });
  if (child.stdout === null) throw new Error('no output');
  await once(child.stdout, 'data');
  // The kernel does the same when the process that has this end is killed.
  child.stdio[4]?.destroy();
  await once(child, 'exit');
  expect(child.signalCode).toBe('SIGKILL');
});
