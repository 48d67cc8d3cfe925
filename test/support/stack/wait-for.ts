/** Longer than any repair by the engine takes, on a machine that is busy with something else. Only what fails waits so long. */
const patienceMs = 120_000;
/** Each check costs a query, so the interval grows with the time waited. */
const pauseAfter = (waitedMs: number) => Math.min(Math.max(10, waitedMs * 0.15), 100);

/** The awaited state did not occur in time. */
export class WaitedInVainError extends Error {
  readonly code = 'waited_in_vain';

  constructor(what: string, withinMs: number, lastSeen: unknown) {
    super(`${what}: not within ${withinMs} ms; last seen: ${JSON.stringify(lastSeen)}`);
    this.name = 'WaitedInVainError';
  }
}

type Truthy<T> = Exclude<T, false | null | undefined | 0 | ''>;

/** Polls for a state that sends no signal, and returns it. */
export async function waitFor<T>(
  what: string,
  look: () => Promise<T> | T,
  { withinMs = patienceMs }: { withinMs?: number } = {},
): Promise<Truthy<T>> {
  const beganAt = performance.now();
  for (;;) {
    const seen = await look();
    // The compiler does not narrow a type parameter by truthiness.
    if (seen) return seen as Truthy<T>;
    const waitedMs = performance.now() - beganAt;
    if (waitedMs > withinMs) throw new WaitedInVainError(what, withinMs, seen);
    await new Promise((resolve) => setTimeout(resolve, pauseAfter(waitedMs)));
  }
}
