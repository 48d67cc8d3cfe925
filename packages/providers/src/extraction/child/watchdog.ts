import { workerData } from 'node:worker_threads';
import { whenPipeEnds } from '@outdial/runtime/parent-pipe';
import { PARENT_FD } from '../messages.ts';
import { residentBytes } from './resident-bytes.ts';

/**
 * A thread beside the parser, so that it sees what happens while the parser is busy: memory beyond V8's own heap
 * (a decompression bomb lives in buffers, which no flag of Node limits), and the death of the worker that owns
 * this process.
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
