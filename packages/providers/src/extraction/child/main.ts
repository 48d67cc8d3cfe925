import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ChildMessage, ChildReport, ExtractMessage } from '../messages.ts';
import { extractFile } from './extract-file.ts';
import { readExactly } from './read-exactly.ts';
import { residentBytes } from './resident-bytes.ts';
import { warmUp } from './warm-up.ts';

/**
 * The process in which files are read, one after another. It holds no credentials, connections or state, so it can be killed at any time.
 */

const memoryMb = Number(process.argv[2]);

const watchdog = new Worker(new URL('watchdog.ts', import.meta.url), {
  workerData: { memoryBytes: memoryMb * 1024 * 1024 },
  execArgv: [],
});
watchdog.unref();

/** Resolves when the message was sent, so that text does not pile up in memory. */
function send(message: ChildMessage): Promise<void> {
  return new Promise((resolve) => {
    const report: ChildReport = { message, residentBytes: residentBytes() };
    process.send?.(report, undefined, undefined, () => resolve());
  });
}

// Only the pool writes to the channel.
const files = on(process, 'message') as AsyncIterable<[ExtractMessage]>;
await warmUp();
await send({ kind: 'ready' });
for await (const [file] of files) {
  watchdog.postMessage(true, []);
  await extractFile(await readExactly(process.stdin, file.sizeBytes), file, send);
  watchdog.postMessage(false, []);
}
