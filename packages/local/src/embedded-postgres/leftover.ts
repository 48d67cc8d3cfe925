import { readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * Stops a server that outlived its supervisor, because the supervisor was killed. The caller holds the lock of the data directory, so no
 * running Outdial uses that server. Returns whether there was one.
 */
export async function endLeftoverServer(pgData: string): Promise<boolean> {
  const pidFile = join(pgData, 'postmaster.pid');
  const pid = readPid(pidFile);
  if (pid === null) return false;
  if (!isServerOf(pid, pgData)) {
    // Another process may have this pid by now, and Postgres would refuse to start.
    rmSync(pidFile, { force: true });
    return false;
  }
  // Fast shutdown, immediate shutdown, then kill: https://www.postgresql.org/docs/18/server-shutdown.html
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

/** Whether the process exists and is a server of this directory. */
function isServerOf(pid: number, pgData: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // EPERM: a process of another user, so we did not start it.
    return error instanceof Error && 'code' in error && error.code !== 'ESRCH' && error.code !== 'EPERM';
  }
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === pgData && !isZombie(pid);
  } catch {
    // Without /proc, trust the pid file.
    return process.platform !== 'linux';
  }
}

/** A container without an init process never reaps its zombies. */
function isZombie(pid: number): boolean {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
}
