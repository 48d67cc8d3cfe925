import { parentPort, workerData } from 'node:worker_threads';
import { residentBytes } from './resident-bytes.ts';

/**
 * A thread beside the parser, so that it sees what happens while the parser is busy: memory beyond V8's own heap
 * (a decompression bomb lives in buffers, which no flag of Node limits), and the death of the worker that owns
 * this process. Where that cannot be seen from inside the box, a file that takes much longer than the worker would wait says it.
 */

const CHECK_EVERY_MS = 20;
const ORPHANED_AFTER_MS = 10_000;

interface WatchdogData {
  memoryBytes: number;
  /** Zero where the worker cannot be seen. */
  parentPid: number;
  timeoutMs: number;
}

// `workerData` comes from main.ts.
const { memoryBytes, parentPid, timeoutMs } = workerData as WatchdogData;
let begunAtMs = Infinity;

parentPort?.on('message', (what) => {
  begunAtMs = what === 'begun' ? performance.now() : Infinity;
});

setInterval(() => {
  const isOrphaned =
    parentPid === 0
      ? performance.now() - begunAtMs > timeoutMs + ORPHANED_AFTER_MS
      : process.ppid !== parentPid;
  // `process.exit` would end only this thread.
  if (isOrphaned || residentBytes() > memoryBytes) process.kill(process.pid, 'SIGKILL');
}, CHECK_EVERY_MS);
