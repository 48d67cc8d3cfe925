import { setTimeout as sleep } from 'node:timers/promises';

/** Waits shorter than this are not compared, because a busy machine causes them without an attack. */
const leastMs = 250;
const pauseMs = 20;

/** Repeats a request during `work`; returns the longest wait in milliseconds. */
export async function longestWaitDuring(
  request: () => Promise<unknown>,
  work: Promise<unknown>,
): Promise<number> {
  let longestMs = leastMs;
  let isOver = false;
  void work.finally(() => (isOver = true));
  do {
    const startedAt = performance.now();
    await request();
    longestMs = Math.max(longestMs, performance.now() - startedAt);
    await sleep(pauseMs);
  } while (!isOver);
  return longestMs;
}
