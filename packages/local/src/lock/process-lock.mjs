import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { randomBytes } from 'node:crypto';

/*
 * A lock that one process holds until it releases it or dies. Plain JavaScript, because the bootstrap uses it on Node 20 before anything is
 * installed.
 *
 * The lock is a folder with `owner.json`. It is created elsewhere and renamed into place, so it is always complete, and renaming it onto
 * another lock fails. The lock of a dead owner is renamed to a tombstone with the owner's name. The tombstone stays for a while: a second
 * process that found the same dead owner cannot rename the new owner's lock onto it.
 */

const tombstoneKeptMs = 10 * 60_000;

export function tryProcessLock(path) {
  mkdirSync(dirname(path), { recursive: true });
  const token = `${process.pid}-${randomBytes(6).toString('hex')}`;
  const fresh = `${path}.new-${token}`;
  mkdirSync(fresh);
  writeFileSync(
    join(fresh, 'owner.json'),
    JSON.stringify({ pid: process.pid, token, identity: identityOf(process.pid) }),
  );
  try {
    for (;;) {
      if (renamedOnto(fresh, path)) {
        sweep(path);
        return { state: 'held', release: () => release(path, token) };
      }
      const owner = readOwner(path);
      if (owner === null) continue;
      if (isAlive(owner)) return { state: 'busy', pid: owner.pid };
      renamedOnto(path, `${path}.dead-${owner.token}`);
    }
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

export async function processLock(path, onWait = () => {}) {
  let told = false;
  for (;;) {
    const lock = tryProcessLock(path);
    if (lock.state === 'held') return lock;
    if (!told) onWait(lock.pid);
    told = true;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Whether the owner still runs. A later process with the same pid has another identity. */
function isAlive(owner) {
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if (error.code === 'ESRCH') return false;
  }
  const identity = identityOf(owner.pid);
  return owner.identity === null || owner.identity === identity;
}

/** Boot id and start time of a process (proc(5), fields 3 and 22 of stat). Null for zombies, and on systems without /proc. */
function identityOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${fields[19]}`;
  } catch {
    return null;
  }
}

/** Null while the lock is being released. Removes a lock without a readable owner. */
function readOwner(path) {
  try {
    return JSON.parse(readFileSync(join(path, 'owner.json'), 'utf8'));
  } catch {
    try {
      statSync(path);
    } catch {
      return null;
    }
    // A user or a full disk left it; our processes do not.
    rmSync(path, { recursive: true, force: true });
    return null;
  }
}

function renamedOnto(from, to) {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST', 'ENOENT', 'EPERM', 'ENOTDIR'].includes(error.code)) return false;
    throw error;
  }
}

function release(path, token) {
  if (readOwner(path)?.token !== token) return;
  const old = `${path}.dead-${token}`;
  if (renamedOnto(path, old)) rmSync(old, { recursive: true, force: true });
}

function sweep(path) {
  for (const name of readdirSync(dirname(path))) {
    if (!name.startsWith(`${basename(path)}.dead-`) && !name.startsWith(`${basename(path)}.new-`)) continue;
    const left = join(dirname(path), name);
    try {
      if (Date.now() - statSync(left).mtimeMs > tombstoneKeptMs) {
        rmSync(left, { recursive: true, force: true });
      }
    } catch {
      // Another process removed it first.
    }
  }
}
