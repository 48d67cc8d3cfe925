import { readFileSync } from 'node:fs';
import { createConnection } from 'node:net';

/**
 * Runs in the box as code in a document would, and reports what it could do. The worker runs it at start, and tests run it with more files.
 * Arguments: the worker's process id, a port with a listening server, further files to read.
 */

export interface ProbeReport {
  /** The names of environment variables that it could read. */
  environment: string[];
  /** Whether it could connect to this machine. */
  network: boolean;
  /** Whether it could send a signal to the worker. */
  signals: boolean;
  files: string[];
  user: number | null;
}

const [workerPid, port, ...files] = process.argv.slice(2);

function canConnect(): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ port: Number(port), host: '127.0.0.1' });
    const answer = (connected: boolean) => {
      socket.destroy();
      resolve(connected);
    };
    socket.once('connect', () => answer(true));
    socket.once('error', () => answer(false));
    socket.setTimeout(2_000, () => answer(false));
  });
}

function succeeds(attempt: () => unknown): boolean {
  try {
    attempt();
    return true;
  } catch {
    return false;
  }
}

const report: ProbeReport = {
  environment: Object.keys(process.env).filter((name) => !name.startsWith('NODE_CHANNEL_')),
  network: await canConnect(),
  // Signal 0 only checks whether a signal could be sent.
  signals: succeeds(() => process.kill(Number(workerPid), 0)),
  files: files.filter((path) => succeeds(() => readFileSync(path))),
  user: process.getuid?.() ?? null,
};
process.send?.(report, undefined, undefined, () => process.exit(0));
