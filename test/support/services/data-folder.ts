import { mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { freemem, hostname, tmpdir } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
/** Several times the data of a whole run. A container's /dev/shm usually has 64 MB. */
const bytesNeeded = 6 * 1024 ** 3;
const prefix = `outdial-test-${hostname()}-`;

/**
 * A folder for the data of this run's services, in memory if there is enough. A run copies hundreds of databases, which takes three times the CPU
 * time on a disk's file system.
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

/** Deletes the folders of killed runs, which would fill the memory. */
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
