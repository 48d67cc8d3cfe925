import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ChildMessage, ChildReport, ExtractMessage } from '../messages.ts';
import { extractFile } from './extract-file.ts';
import { readExactly } from './read-exactly.ts';
import { residentBytes } from './resident-bytes.ts';
import { warmUp } from './warm-up.ts';

/**
 * The process in which files are read. It holds no credentials, connections or state, so it can be killed at any time.
 */

const memoryMb = Number(process.argv[2]);

const watchdog = new Worker(new URL('watchdog.ts', import.meta.url), {
  workerData: { memoryBytes: memoryMb * 1024 * 1024 },
  execArgv: [],
});
watchdog.unref();

const channel = on(process, 'message');

/**
 * Reads one file after another. A small file is part of its message. For a larger one, the bytes come on standard input, followed by a message to
 * begin once there is a slot.
 */
async function readFiles(): Promise<never> {
  for (;;) {
    // Only the pool writes to the channel.
    const job = (await nextMessage()) as ExtractMessage;
    // A copy, because the parser empties its input.
    const bytes = job.bytes ? new Uint8Array(job.bytes) : await streamed(job.sizeBytes);
    await extractFile(bytes, job, (message) => send(message, job.fileId));
  }
}

async function streamed(sizeBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await readExactly(process.stdin, sizeBytes);
  await nextMessage();
  return bytes;
}

async function nextMessage(): Promise<unknown> {
  // The iterator yields the list of arguments of each event.
  const { value }: { value?: unknown } = await channel.next();
  return Array.isArray(value) ? (value as unknown[])[0] : undefined;
}

/** Resolves when the message was sent, so that text does not pile up in memory. */
function send(message: ChildMessage, fileId: number | null): Promise<void> {
  return new Promise((resolve) => {
    const report: ChildReport = { fileId, message, residentBytes: residentBytes() };
    process.send?.(report, undefined, undefined, () => resolve());
  });
}

await warmUp();
await send({ kind: 'ready' }, null);
await readFiles();
