import { setTimeout as sleep } from 'node:timers/promises';

/** Tries until it works: for the test's own requests, while what they ask is being restarted. */
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
