import { readFileSync } from 'node:fs';
import { createConnection } from 'node:net';

/**
 * Runs in the box as a document's code would, and says what it could do. The worker asks for it at start; the tests ask it for more.
 * Arguments: the worker's process id, a port with a listening server, further files to read.
 */

export interface ProbeReport {
  /** Names of variables. */
  environment: string[];
  /** A connection to this machine came about. */
  network: boolean;
  /** The worker could be sent a signal. */
  signals: boolean;
  /** Which of the files could be read. */
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
  // Signal 0 asks whether one could be sent.
  signals: succeeds(() => process.kill(Number(workerPid), 0)),
  files: files.filter((path) => succeeds(() => readFileSync(path))),
  user: process.getuid?.() ?? null,
};
process.send?.(report, undefined, undefined, () => process.exit(0));
