import { Worker } from 'node:worker_threads';
import type { ChildMessage, ExtractMessage } from '../messages.ts';
import { extractFile } from './extract-file.ts';
import { readExactly } from './read-exactly.ts';
import { warmUp } from './warm-up.ts';

/**
 * The process in which files are read. It holds no credentials, no connections and nothing of value, and is killed
 * without ceremony.
 */

const memoryMb = Number(process.argv[2]);
const parentPid = Number(process.argv[3]);

new Worker(new URL('watchdog.ts', import.meta.url), {
  workerData: { memoryBytes: memoryMb * 1024 * 1024, parentPid },
  execArgv: [],
}).unref();

process.on('message', (message) => {
  // Only the pool writes to the channel.
  void run(message as ExtractMessage);
});
process.on('disconnect', () => process.exit(0));

async function run(job: ExtractMessage): Promise<void> {
  const bytes = await readExactly(process.stdin, job.sizeBytes);
  await extractFile(bytes, job, send);
}

/** Resolves when the message is on its way, so that text does not pile up here. */
function send(message: ChildMessage): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(message, undefined, undefined, () => resolve());
  });
}

await warmUp();
await send({ kind: 'ready' });
