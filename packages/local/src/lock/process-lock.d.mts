export interface HeldLock {
  state: 'held';
  /** Gives the lock back. Safe to call twice. */
  release: () => void;
}

/** Takes the lock at `path`, or says who holds it. Never waits. A lock dies with the process that holds it. */
export function tryProcessLock(path: string): HeldLock | { state: 'busy'; pid: number };

/** Waits until the lock is free and takes it. `onWait` is told once who holds it. */
export function processLock(path: string, onWait?: (pid: number) => void): Promise<HeldLock>;
