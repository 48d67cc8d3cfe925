export interface HeldLock {
  state: 'held';
  /** Safe to call twice. */
  release: () => void;
}

/** Takes the lock at `path`, or returns the pid of its holder without waiting. */
export function tryProcessLock(path: string): HeldLock | { state: 'busy'; pid: number };

/** Waits for the lock and takes it. If it has to wait, it calls `onWait` once with the pid of the holder. */
export function processLock(path: string, onWait?: (pid: number) => void): Promise<HeldLock>;
