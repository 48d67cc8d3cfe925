import { workerData } from 'node:worker_threads';
import { whenPipeEnds } from '@outdial/runtime/parent-pipe';
import { PARENT_FD } from '../messages.ts';
import { residentBytes } from './resident-bytes.ts';

/**
 * A thread that ends the process while the parser is busy: if memory outside V8's heap grows too large (a decompression bomb is in buffers, which no
 * flag of Node limits), or if the worker that owns this process dies.
 */

const CHECK_EVERY_MS = 20;

// `workerData` comes from main.ts.
const { memoryBytes } = workerData as { memoryBytes: number };

// `process.exit` would end only this thread.
const end = () => process.kill(process.pid, 'SIGKILL');

whenPipeEnds(PARENT_FD, end);
setInterval(() => {
  if (residentBytes() > memoryBytes) end();
}, CHECK_EVERY_MS);
