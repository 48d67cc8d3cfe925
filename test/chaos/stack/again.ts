import { setTimeout as sleep } from 'node:timers/promises';

/** Retries the test's own requests until they succeed, because their servers may be restarting. */
export async function again<T>(what: string, work: () => Promise<T>, withinMs = 60_000): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      return await work();
    } catch (cause) {
      if (performance.now() > deadline) {
        throw new Error(`${what}: not within ${withinMs} ms: ${String(cause)}`, { cause });
      }
      await sleep(150);
    }
  }
}
