/**
 * Timers of one process for work that is due before the next sweep. Like jobs, they may be lost: if the process ends, a sweep does their
 * work from the database.
 */
export interface LocalTimers {
  /** Runs `work` once after `delayMs`, and replaces a timer with the same key. Delays of more than a minute are left to the sweeps. */
  set(key: string, delayMs: number, work: () => Promise<void>): void;
  /** Removes all timers. */
  close(): void;
}

const longestMs = 60_000;
const timersAtMost = 200_000;

export function createLocalTimers(onError: (error: unknown) => void): LocalTimers {
  const timers = new Map<string, NodeJS.Timeout>();
  let closed = false;
  return {
    set(key, delayMs, work) {
      if (closed || delayMs > longestMs) return;
      clearTimeout(timers.get(key));
      if (!timers.has(key) && timers.size >= timersAtMost) return;
      const timer = setTimeout(
        () => {
          timers.delete(key);
          work().catch(onError);
        },
        Math.max(0, delayMs),
      );
      timer.unref();
      timers.set(key, timer);
    },
    close() {
      closed = true;
      for (const timer of timers.values()) clearTimeout(timer);
      timers.clear();
    },
  };
}
