import { setTimeout as delay } from 'node:timers/promises';
import { type ProcessEnd, type ProcessSpec, superviseProcesses } from './supervise.ts';

/** An end after so long is no start that failed. */
const STEADY_MS = 60_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 15_000;
/** Ends in a row, each soon after its start, after which something is wrong that another start does not mend. */
const ENDS_IN_A_ROW = 6;

export interface KeptProcess {
  /** From now on an end is no failed start: the process is started again. */
  keepRunning(): void;
  /** Fulfilled with the end after which it is not started again. */
  gaveUp: Promise<ProcessEnd>;
  stop(timeoutMs: number): Promise<void>;
}

/**
 * Runs a process, and starts it again when it ends by itself, with a pause that grows. Before `keepRunning` an end is final: what cannot even start is
 * better said at once.
 */
export function keepProcess(
  spec: ProcessSpec,
  options: {
    onLine: (name: string, line: string) => void;
    /** One line for whoever watches. */
    notice: (text: string) => void;
    nowMs?: () => number;
    firstPauseMs?: number;
  },
): KeptProcess {
  const nowMs = options.nowMs ?? (() => performance.now());
  const gaveUp = Promise.withResolvers<ProcessEnd>();
  const stopping = new AbortController();
  const start = () => superviseProcesses({ specs: [spec], onLine: options.onLine });
  let keeps = false;
  let current = start();

  async function watch(): Promise<void> {
    let endsInARow = 0;
    for (;;) {
      const startedAt = nowMs();
      const end = await current.unexpectedEnd;
      endsInARow = nowMs() - startedAt >= STEADY_MS ? 1 : endsInARow + 1;
      if (!keeps || endsInARow >= ENDS_IN_A_ROW) {
        gaveUp.resolve(end);
        return;
      }
      const first = options.firstPauseMs ?? FIRST_PAUSE_MS;
      const pauseMs = Math.min(first * 2 ** (endsInARow - 1), LONGEST_PAUSE_MS);
      options.notice(
        `The ${spec.name} process ended (${end.signal ?? `status ${end.code}`}) and is started again in ${pauseMs / 1_000} s`,
      );
      await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      current = start();
    }
  }
  void watch();

  return {
    keepRunning: () => {
      keeps = true;
    },
    gaveUp: gaveUp.promise,
    stop: (timeoutMs) => {
      stopping.abort();
      return current.stop(timeoutMs);
    },
  };
}
