import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { randomBytes } from 'node:crypto';

/*
 * A lock that one live process holds, and that dies with it. Plain JavaScript, since the bootstrap uses it
 * before anything is installed, on Node 20.
 *
 * The lock is a folder holding `owner.json`. It is made elsewhere and renamed into place, so it is never
 * seen half made: renaming a folder onto one that is not empty fails. The lock of a dead owner is taken
 * away by renaming it to a tombstone named after that owner; the tombstone stays for a while, so that a
 * second process with the same idea fails to rename the new owner's lock onto it.
 */

const TOMBSTONE_KEPT_MS = 10 * 60_000;

/**
 * Takes the lock at `path`, or says who holds it. Never waits.
 * @returns {{ state: 'held', release: () => void } | { state: 'busy', pid: number }}
 */
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

/** Waits until the lock is free and takes it. `onWait` is told once who holds it. */
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

/** Is this the same process that wrote its identity, and not a later one with its number? */
function isAlive(owner) {
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    if (error.code === 'ESRCH') return false;
  }
  const identity = identityOf(owner.pid);
  return owner.identity === null || owner.identity === identity;
}

/**
 * Boot and start time of a process (proc(5), fields 3 and 22 of stat), or null if the system does not say.
 * A zombie process, as in a container without an init, has none.
 */
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

/** The owner of a lock; null while it is being given back. A lock without a readable owner counts as dead. */
function readOwner(path) {
  try {
    return JSON.parse(readFileSync(join(path, 'owner.json'), 'utf8'));
  } catch {
    try {
      statSync(path);
    } catch {
      return null;
    }
    // Made by hand or cut short by a full disk: no process of ours leaves this.
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
      if (Date.now() - statSync(left).mtimeMs > TOMBSTONE_KEPT_MS) {
        rmSync(left, { recursive: true, force: true });
      }
    } catch {
      // Another process was faster.
    }
  }
}
