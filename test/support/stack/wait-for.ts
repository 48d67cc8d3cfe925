/** Longer than any of the engine's own repairs takes. */
const patienceMs = 20_000;
/** A look costs a query: what has taken long already is looked at less often. */
const pauseAfter = (waitedMs: number) => Math.min(Math.max(10, waitedMs * 0.15), 100);

/** Nothing happened within the time that it may take. */
export class WaitedInVainError extends Error {
  readonly code = 'waited_in_vain';

  constructor(what: string, withinMs: number, lastSeen: unknown) {
    super(`${what}: not within ${withinMs} ms; last seen: ${JSON.stringify(lastSeen)}`);
    this.name = 'WaitedInVainError';
  }
}

type Truthy<T> = Exclude<T, false | null | undefined | 0 | ''>;

/** Looks again and again until there is something to see, for states that send no signal; returns it. */
export async function waitFor<T>(
  what: string,
  look: () => Promise<T> | T,
  { withinMs = patienceMs }: { withinMs?: number } = {},
): Promise<Truthy<T>> {
  const beganAt = performance.now();
  for (;;) {
    const seen = await look();
    // The compiler does not narrow a type parameter by its truth.
    if (seen) return seen as Truthy<T>;
    const waitedMs = performance.now() - beganAt;
    if (waitedMs > withinMs) throw new WaitedInVainError(what, withinMs, seen);
    await new Promise((resolve) => setTimeout(resolve, pauseAfter(waitedMs)));
  }
}
