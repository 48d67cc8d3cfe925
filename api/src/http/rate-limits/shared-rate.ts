import { LRUCache } from 'lru-cache';
import type { RateLimiterRes } from 'rate-limiter-flexible';

/** The counter for all processes: rate-limiter-flexible on Postgres, or in memory for a single process. */
export interface SharedCounter {
  consume(key: string, points: number): Promise<Pick<RateLimiterRes, 'consumedPoints' | 'msBeforeNext'>>;
}

export interface RateState {
  allowed: boolean;
  limit: number;
  remaining: number;
  resetSeconds: number;
}

interface Seen {
  /** By all processes, as of the last synchronization. */
  used: number;
  /** By this process since then. */
  pending: number;
  endsAt: number;
  askedAt: number;
  asking: Promise<void> | null;
}

/** How often a process synchronizes while it is far from the limit. */
const askEveryMs = 500;
/** Above this share of the limit, every request is counted in the shared counter before it is answered. */
const nearLimit = 0.5;
const keysAtMost = 20_000;

/**
 * Requests per minute over all processes. Far from the limit, no request waits: a process adds its count to the shared counter every half a
 * second. Near the limit, each request is first counted in the shared counter, so that the limit holds exactly.
 */
export class SharedRate {
  readonly #counter: SharedCounter;
  readonly #windowMs: number;
  readonly #nowMs: () => number;
  readonly #onFailure: (error: unknown) => void;
  // Grows as it fills: `max` would allocate all entries at once.
  readonly #seen = new LRUCache<string, Seen>({ maxSize: keysAtMost, sizeCalculation: () => 1 });

  constructor(
    counter: SharedCounter,
    options: { windowSeconds: number; onFailure: (error: unknown) => void; nowMs?: () => number },
  ) {
    this.#counter = counter;
    this.#windowMs = options.windowSeconds * 1_000;
    this.#onFailure = options.onFailure;
    this.#nowMs = options.nowMs ?? (() => performance.now());
  }

  async take(key: string, limit: number): Promise<RateState> {
    const seen = this.#of(key);
    seen.pending += 1;
    const near = seen.used + seen.pending > limit * nearLimit;
    if (near || this.#nowMs() - seen.askedAt >= askEveryMs) {
      const asked = this.#ask(key, seen);
      if (near) await asked;
    }
    const used = seen.used + seen.pending;
    return {
      allowed: used <= limit,
      limit,
      remaining: Math.max(0, limit - used),
      resetSeconds: Math.max(1, Math.ceil((seen.endsAt - this.#nowMs()) / 1_000)),
    };
  }

  #of(key: string): Seen {
    const now = this.#nowMs();
    const known = this.#seen.get(key);
    if (known !== undefined && known.endsAt > now) return known;
    const seen = { used: 0, pending: 0, endsAt: now + this.#windowMs, askedAt: now, asking: null };
    this.#seen.set(key, seen);
    return seen;
  }

  /** Counts concurrent requests with one query. */
  #ask(key: string, seen: Seen): Promise<void> {
    seen.asking ??= this.#count(key, seen).finally(() => {
      seen.asking = null;
    });
    return seen.asking;
  }

  async #count(key: string, seen: Seen): Promise<void> {
    // Includes requests of this turn of the event loop.
    await Promise.resolve();
    const points = seen.pending;
    seen.askedAt = this.#nowMs();
    try {
      const { consumedPoints, msBeforeNext } = await this.#counter.consume(key, points);
      seen.used = consumedPoints;
      seen.endsAt = this.#nowMs() + msBeforeNext;
    } catch (error) {
      // The process counts locally, and requests are served.
      this.#onFailure(error);
      seen.used += points;
    }
    seen.pending -= points;
  }
}
