/** Timers in this process for work that is due before the next sweep. If the process dies, a sweep does the work instead. */
export interface LocalTimers {
  /** Runs `work` once after `delayMs`. Replaces a timer with the same key. Leaves delays of more than a minute to the sweeps. */
  set(key: string, delayMs: number, work: () => Promise<void>): void;
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
