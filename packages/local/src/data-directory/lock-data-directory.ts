import { mkdirSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { HeldLock } from '../lock/process-lock.mjs';
import { tryProcessLock } from '../lock/process-lock.mjs';
import { DataDirectoryError } from './errors.ts';

/** A data directory that only this process uses, until it exits or calls `release`. */
export interface LockedDataDirectory {
  /** Absolute, without symbolic links. */
  path: string;
  release: () => void;
}

/** Creates the directory if it is missing, and takes its lock. @throws DataDirectoryError */
export function lockDataDirectory(dataDir: string): LockedDataDirectory {
  const asked = resolve(dataDir);
  let lock: HeldLock | { state: 'busy'; pid: number };
  let path: string;
  try {
    mkdirSync(asked, { recursive: true });
    path = realpathSync(asked);
    lock = tryProcessLock(join(path, 'lock'));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new DataDirectoryError(
      'data_directory_unusable',
      `The data directory ${asked} cannot be used: ${reason}`,
      { cause },
    );
  }
  if (lock.state === 'busy') {
    throw new DataDirectoryError(
      'data_directory_in_use',
      `The data directory ${path} is in use by another Outdial (process ${lock.pid}). ` +
        `Stop that one, or choose another directory with --data-dir.`,
    );
  }
  return { path, release: lock.release };
}
