import { parentPort, workerData } from 'node:worker_threads';
import { whenPipeEnds } from '@outdial/runtime/parent-pipe';
import { parentFd } from '../messages.ts';
import { residentBytes } from './resident-bytes.ts';

/**
 * A thread that ends the process while the parser is busy: if memory outside V8's heap grows too large (a decompression bomb is in buffers, which no
 * flag of Node limits), or if the worker that owns this process dies.
 */

const checkEveryMs = 20;

// `workerData` comes from main.ts.
const { memoryBytes } = workerData as { memoryBytes: number };

// `process.exit` would end only this thread.
const end = () => process.kill(process.pid, 'SIGKILL');

whenPipeEnds(parentFd, end);
/** While a file is read. */
let checks: NodeJS.Timeout | undefined;
parentPort?.on('message', (isReading: boolean) => {
  clearInterval(checks);
  if (!isReading) return;
  checks = setInterval(() => {
    if (residentBytes() > memoryBytes) end();
  }, checkEveryMs);
});
