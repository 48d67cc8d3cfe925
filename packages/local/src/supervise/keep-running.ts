import { setTimeout as delay } from 'node:timers/promises';
import { RestartPauses } from './restart-pauses.ts';
import { type ProcessEnd, type ProcessSpec, superviseProcesses } from './supervise.ts';

export interface KeptProcess {
  /** From now on an end is no failed start: the process is started again. */
  keepRunning(): void;
  /** Fulfilled with the end after which it is not started again. */
  gaveUp: Promise<ProcessEnd>;
  stop(timeoutMs: number): Promise<void>;
}

/**
 * Runs a process, and starts it again when it ends unexpectedly, with a pause that grows. Before `keepRunning` an end is final: what cannot even start is
 * better said at once.
 */
export function keepProcess(
  spec: ProcessSpec,
  options: {
    onLine: (name: string, line: string) => void;
    /** One line for the terminal. */
    notice: (text: string) => void;
    nowMs?: () => number;
    firstPauseMs?: number;
  },
): KeptProcess {
  const nowMs = options.nowMs ?? (() => performance.now());
  const gaveUp = Promise.withResolvers<ProcessEnd>();
  const stopping = new AbortController();
  const start = () => superviseProcesses({ specs: [spec], onLine: options.onLine });
  const pauses = new RestartPauses(options.firstPauseMs);
  let keeps = false;
  let current = start();

  async function watch(): Promise<void> {
    for (;;) {
      const startedAt = nowMs();
      const end = await current.unexpectedEnd;
      const pauseMs = keeps ? pauses.afterEnd(nowMs() - startedAt) : null;
      if (pauseMs === null) {
        gaveUp.resolve(end);
        return;
      }
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
