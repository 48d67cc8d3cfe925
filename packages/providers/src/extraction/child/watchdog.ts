import { workerData } from 'node:worker_threads';

/**
 * A thread beside the parser, so that it sees what happens while the parser is busy: memory beyond V8's own heap
 * (a decompression bomb lives in buffers, which no flag of Node limits), and the death of the worker that owns
 * this process.
 */

const CHECK_EVERY_MS = 20;

interface WatchdogData {
  memoryBytes: number;
  parentPid: number;
}

// `workerData` comes from main.ts.
const { memoryBytes, parentPid } = workerData as WatchdogData;

setInterval(() => {
  const orphaned = process.ppid !== parentPid;
  // `process.exit` would end only this thread.
  if (orphaned || process.memoryUsage.rss() > memoryBytes) process.kill(process.pid, 'SIGKILL');
}, CHECK_EVERY_MS);
