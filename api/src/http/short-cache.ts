import type { Clock } from '@outdial/core';
import { systemClock } from '@outdial/runtime';
import { LRUCache } from 'lru-cache';

const maxEntries = 10_000;

interface Entry<Value> {
  value: Promise<Value>;
  /** From then on a background look-up starts; infinite while one runs. */
  refreshAt: number;
  until: number;
}

/**
 * Caches results for a moment, and lets concurrent requests share a look-up. A result in constant use is refreshed in the background after
 * half of its lifetime. Otherwise all requests would wait when it expires, and under load the look-up itself waits for a connection.
 */
export class ShortCache<Value> {
  readonly #lifetimeMs: number;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  // Grows as it fills: `max` would allocate all entries at once.
  readonly #entries = new LRUCache<string, Entry<Value>>({ maxSize: maxEntries, sizeCalculation: () => 1 });

  constructor(lifetimeMs: number, clock: Pick<Clock, 'monotonicMs'> = systemClock) {
    this.#lifetimeMs = lifetimeMs;
    this.#clock = clock;
  }

  /** Never returns a result whose look-up began longer than the lifetime ago. */
  get(key: string, lookUp: () => Promise<Value>): Promise<Value> {
    const at = this.#clock.monotonicMs();
    const known = this.#entries.get(key);
    if (known !== undefined && known.until > at) {
      if (known.refreshAt <= at) {
        void this.#refresh(key, known, { at, value: lookUp() });
      }
      return known.value;
    }
    const entry = this.#entryOf(lookUp(), at);
    this.#entries.set(key, entry);
    // A failure is only returned to the callers that wait for it.
    entry.value.catch(() => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    });
    return entry.value;
  }

  /** If it fails, the known result stays until it expires. */
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
