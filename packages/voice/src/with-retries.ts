import { setTimeout as delay } from 'node:timers/promises';

/** How long to wait before each further try. A database that fails over is back within seconds. */
const pausesMs = [500, 2_000, 4_000] as const;

/**
 * Tries work that needs the database, four times at most.
 * @throws the last error
 */
export async function withRetries(
  work: () => Promise<void>,
  args: {
    onFailure: (err: unknown, tried: number) => void;
    pause?: ((ms: number) => Promise<void>) | undefined;
  },
): Promise<void> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await work();
    } catch (err) {
      args.onFailure(err, tried);
      const pauseMs = pausesMs[tried - 1];
      if (pauseMs === undefined) throw err;
      await (args.pause ?? delay)(pauseMs);
    }
  }
}
