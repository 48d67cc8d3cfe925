import { startRestartLoop, type RestartLoop } from '../supervise/restart-loop.ts';
import type { EmbeddedPostgres } from './start.ts';

export type WatchedPostgres = RestartLoop<string>;

/**
 * Restarts Postgres when it exits unexpectedly.
 * @param restart has to start Postgres on the same directory and port, where its clients will look for it
 */
export function watchPostgres(
  first: EmbeddedPostgres,
  restart: () => Promise<EmbeddedPostgres>,
  { firstPauseMs }: { firstPauseMs?: number } = {},
): WatchedPostgres {
  let current: EmbeddedPostgres | null = first;
  const loop = startRestartLoop({
    name: 'Postgres',
    async runOnce(signal) {
      try {
        current ??= await restart();
        if (signal.aborted) await current.stop();
      } catch (error) {
        return error instanceof Error ? error.message : String(error);
      }
      const exit = await current.exited;
      current = null;
      return exit.signal ?? `status ${exit.code}`;
    },
    reasonOf: (reason) => reason,
    firstPauseMs,
  });
  return {
    ...loop,
    async stop() {
      const ended = loop.stop();
      await current?.stop();
      await ended;
    },
  };
}
