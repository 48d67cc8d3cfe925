import { LRUCache } from 'lru-cache';

const MAX_ENTRIES = 10_000;

interface Entry<Value> {
  value: Promise<Value>;
  /** From then on it is looked up again while it still serves; infinite where that is under way. */
  refreshAt: number;
  until: number;
}

/**
 * Remembers answers for a moment, and lets concurrent requests share one look-up. An answer in constant use is looked up again in the
 * background from half its lifetime on. Without that, all requests waited when it expired, and under load the look-up itself waits for a
 * connection. Times are those of the process's monotonic clock, which cannot be set back.
 */
export class ShortCache<Value> {
  readonly #lifetimeMs: number;
  readonly #nowMs: () => number;
  readonly #entries = new LRUCache<string, Entry<Value>>({ max: MAX_ENTRIES });

  constructor(lifetimeMs: number, nowMs = () => performance.now()) {
    this.#lifetimeMs = lifetimeMs;
    this.#nowMs = nowMs;
  }

  /** Never gives an answer whose look-up began longer than the lifetime ago. */
  get(key: string, lookUp: () => Promise<Value>): Promise<Value> {
    const at = this.#nowMs();
    const known = this.#entries.get(key);
    if (known !== undefined && known.until > at) {
      if (known.refreshAt <= at) {
        void this.#refresh(key, known, { at, value: lookUp() });
      }
      return known.value;
    }
    const entry = this.#entryOf(lookUp(), at);
    this.#entries.set(key, entry);
    // A failure answers only those who wait for it now.
    entry.value.catch(() => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    });
    return entry.value;
  }

  /** Where it fails, the answer that is known serves to its end. */
  async #refresh(key: string, known: Entry<Value>, { at, value }: { at: number; value: Promise<Value> }) {
    known.refreshAt = Number.POSITIVE_INFINITY;
    const [looked] = await Promise.allSettled([value]);
    if (looked.status === 'fulfilled' && this.#entries.get(key) === known) {
      this.#entries.set(key, this.#entryOf(value, at));
    }
  }

  #entryOf(value: Promise<Value>, at: number): Entry<Value> {
    return { value, refreshAt: at + this.#lifetimeMs / 2, until: at + this.#lifetimeMs };
  }
}
