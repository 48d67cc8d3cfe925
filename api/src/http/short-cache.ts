const MAX_ENTRIES = 10_000;

/**
 * Remembers answers for a moment, and lets requests that ask at the same time share one look-up. Measured by the
 * process's own monotonic clock, which nobody can set back.
 */
export class ShortCache<Value> {
  readonly #lifetimeMs: number;
  readonly #entries = new Map<string, { until: number; value: Promise<Value> }>();

  constructor(lifetimeMs: number) {
    this.#lifetimeMs = lifetimeMs;
  }

  get(key: string, lookUp: () => Promise<Value>): Promise<Value> {
    const at = performance.now();
    const known = this.#entries.get(key);
    if (known !== undefined && known.until > at) {
      return known.value;
    }
    if (this.#entries.size >= MAX_ENTRIES) {
      this.#entries.clear();
    }
    const value = lookUp();
    this.#entries.set(key, { until: at + this.#lifetimeMs, value });
    // A failure is nobody's answer but the one who waits for it now.
    value.catch(() => this.#entries.delete(key));
    return value;
  }
}
