import { setTimeout as delay } from 'node:timers/promises';
import { RestartPauses } from '../supervise/restart-pauses.ts';
import type { EmbeddedPostgres } from './start.ts';

export interface KeptPostgres {
  /** From now on an end is no failed start: Postgres is started again, and `notice` gets one line about it. */
  keepRunning(notice: (text: string) => void): void;
  /** Fulfilled with the reason when Postgres has ended and is not started again. */
  gaveUp: Promise<string>;
  stop(): Promise<void>;
}

/**
 * Starts Postgres again when it ends without having been told to, with a pause that grows. Those who use it find it where it was, so it has to
 * come back on its port.
 * @param startAgain Starts it on the same directory and port.
 */
export function keepPostgres(
  first: EmbeddedPostgres,
  startAgain: () => Promise<EmbeddedPostgres>,
  options: { firstPauseMs?: number } = {},
): KeptPostgres {
  const gaveUp = Promise.withResolvers<string>();
  const stopping = new AbortController();
  const pauses = new RestartPauses(options.firstPauseMs);
  let notice: ((text: string) => void) | null = null;
  let current: EmbeddedPostgres | null = first;

  async function watch(): Promise<void> {
    for (;;) {
      const startedAt = performance.now();
      const why = await endOf();
      if (stopping.signal.aborted) return;
      const pauseMs = notice === null ? null : pauses.afterEnd(performance.now() - startedAt);
      if (pauseMs === null) {
        gaveUp.resolve(why);
        return;
      }
      notice?.(`Postgres ended (${why}) and is started again in ${pauseMs / 1_000} s`);
      await delay(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
    }
  }

  /** Why it ended, or did not come up. */
  async function endOf(): Promise<string> {
    try {
      current ??= await startAgain();
      if (stopping.signal.aborted) await current.stop();
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
    const { code, signal } = await current.exited;
    current = null;
    return signal ?? `status ${code}`;
  }
  const watching = watch();

  return {
    keepRunning: (tell) => {
      notice = tell;
    },
    gaveUp: gaveUp.promise,
    async stop() {
      stopping.abort();
      await current?.stop();
      await watching;
    },
  };
}
