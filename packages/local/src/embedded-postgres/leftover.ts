import { readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Ends a server that outlived its supervisor, when both were killed at once or the supervisor alone was. The caller
 * holds the lock of the data directory, so no live Outdial uses that server. Returns whether there was one.
 */
export async function endLeftoverServer(pgData: string): Promise<boolean> {
  const pidFile = join(pgData, 'postmaster.pid');
  const pid = readPid(pidFile);
  if (pid === null) return false;
  if (!isServerOf(pid, pgData)) {
    // Its number may belong to an innocent process by now; Postgres would then refuse to start.
    rmSync(pidFile, { force: true });
    return false;
  }
  // Fast, immediate, and by force: https://www.postgresql.org/docs/18/server-shutdown.html
  for (const [signal, patienceMs] of [
    ['SIGINT', 5_000],
    ['SIGQUIT', 2_000],
    ['SIGKILL', 2_000],
  ] as const) {
    process.kill(pid, signal);
    for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += 20) {
      if (!isServerOf(pid, pgData)) return true;
      await delay(20);
    }
  }
  return true;
}

function readPid(pidFile: string): number | null {
  try {
    const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
    return Number.isInteger(pid) && pid > 1 ? pid : null;
  } catch {
    return null;
  }
}

/** Is there such a process, and is it a server that works in this directory? */
function isServerOf(pid: number, pgData: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: a process of another user, so none that we started.
    return error instanceof Error && 'code' in error && error.code !== 'ESRCH' && error.code !== 'EPERM';
  }
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === pgData && !isZombie(pid);
  } catch {
    // No /proc here: Postgres's own file says that this is its process, and the process exists.
    return process.platform !== 'linux';
  }
}

/** A dead process whose parent has not asked for its status yet; in a container it may never do so. */
function isZombie(pid: number): boolean {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
}
