import { setTimeout as delay } from 'node:timers/promises';

/** Tries work of a call again while the database is away, until the process ends. */
export type Retry = <T>(callId: string, work: () => Promise<T>) => Promise<T>;

/** How long to wait before each further try. After these, the last one repeats for as long as the caller goes on. */
const pausesMs = [500, 2_000, 4_000] as const;

/**
 * Tries work that needs the database, four times at least.
 * @param args `goesOn`: whether to try again after that
 * @throws the last error
 */
export async function withRetries<T>(
  work: () => Promise<T>,
  args: {
    onFailure: (err: unknown, tried: number) => void;
    goesOn?: (() => boolean) | undefined;
    pause?: ((ms: number) => Promise<void>) | undefined;
  },
): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await work();
    } catch (err) {
      args.onFailure(err, tried);
      const pauseMs = pausesMs[tried - 1];
      if (pauseMs === undefined && args.goesOn?.() !== true) throw err;
      await (args.pause ?? delay)(pauseMs ?? pausesMs[2]);
    }
  }
}
