import { mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { freemem, hostname, tmpdir } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
/** Several times what a whole run writes. A container's /dev/shm usually has 64 MB. */
const bytesNeeded = 6 * 1024 ** 3;
const prefix = `outdial-test-${hostname()}-`;

/**
 * A folder for the data of this run's services, in memory where there is plenty: hundreds of databases are copied in a run, and on a
 * disk's file system each costs three times the processor time.
 */
export function makeDataFolder(): string {
  if (!hasRoomInMemory()) return mkdtempSync(join(tmpdir(), 'outdial-test-'));
  removeLeftovers();
  return mkdtempSync(join(memory, `${prefix}${process.pid}-`));
}

function hasRoomInMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return Math.min(bavail * bsize, freemem()) > bytesNeeded;
  } catch {
    return false;
  }
}

/** What runs left behind that were killed would fill the memory. */
function removeLeftovers(): void {
  for (const name of readdirSync(memory)) {
    if (!name.startsWith(prefix)) continue;
    const pid = Number.parseInt(name.slice(prefix.length), 10);
    if (pid > 0 && !isAlive(pid)) rmSync(join(memory, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
