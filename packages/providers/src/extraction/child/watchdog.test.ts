import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';

/** A parser that never lets go, with the watchdog beside it. */
const busyProgram = `
  import { Worker } from 'node:worker_threads';
  const watchdog = new Worker(new URL(process.argv[1]), { workerData: { memoryBytes: 2 ** 40 }, execArgv: [] });
  watchdog.once('online', () => {
    console.log('busy');
    for (;;);
  });`;

test('a parser that is busy ends with the process that started it', async () => {
  const watchdog = new URL('watchdog.ts', import.meta.url).href;
  const child = spawn(process.execPath, ['--input-type=module', '-e', busyProgram, watchdog], {
    stdio: ['ignore', 'pipe', 'inherit', 'ignore', 'pipe'],
  });
  if (child.stdout === null) throw new Error('no output');
  await once(child.stdout, 'data');
  // As the system does where the process that has this end was killed.
  child.stdio[4]?.destroy();
  await once(child, 'exit');
  expect(child.signalCode).toBe('SIGKILL');
});
