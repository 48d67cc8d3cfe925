import { setTimeout as delay } from 'node:timers/promises';

/** A program that ran for this long had started properly, so the count of failures begins again. */
const steadyMs = 60_000;
const longestPauseMs = 15_000;
/** After this many quick exits in a row, another start will not help. */
const exitsInARow = 6;

export interface RestartLoop<Exit> {
  /** Restarts the program from now on and sends `notice` one line each time. Until then the first exit is final. */
  keepRunning(notice: (text: string) => void): void;
  /** Resolves with the exit that no restart follows. */
  gaveUp: Promise<Exit>;
  /** Restarts no more. Resolves when the current run has ended. */
  stop(): Promise<void>;
}

/** Runs a program, and restarts it after a growing pause when it exits unexpectedly. */
export function startRestartLoop<Exit>(options: {
  name: string;
  /** Starts the program and resolves when it exits. The signal is aborted by `stop`. */
  runOnce: (signal: AbortSignal) => Promise<Exit>;
  reasonOf: (exit: Exit) => string;
  firstPauseMs?: number | undefined;
}): RestartLoop<Exit> {
  const { name, runOnce, reasonOf, firstPauseMs = 500 } = options;
  const gaveUp = Promise.withResolvers<Exit>();
  const stopping = new AbortController();
  let notice: ((text: string) => void) | null = null;

  async function run(): Promise<void> {
    for (let exits = 1; ; exits += 1) {
      const startedAt = performance.now();
      const exit = await runOnce(stopping.signal);
      if (stopping.signal.aborted) return;
      if (performance.now() - startedAt >= steadyMs) exits = 1;
      if (notice === null || exits >= exitsInARow) {
        gaveUp.resolve(exit);
        return;
      }
      const pauseMs = Math.min(firstPauseMs * 2 ** (exits - 1), longestPauseMs);
      notice(`${name} ended (${reasonOf(exit)}) and will restart in ${pauseMs / 1_000} s`);
      await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
    }
  }
  const ended = run();

  return {
    keepRunning(tell) {
      notice = tell;
    },
    gaveUp: gaveUp.promise,
    stop() {
      stopping.abort();
      return ended;
    },
  };
}
