import { LRUCache } from 'lru-cache';
import type { RateLimiterRes } from 'rate-limiter-flexible';

/** The counter for all processes: a limiter of rate-limiter-flexible on Postgres, or in memory where there is one process. */
export interface SharedCounter {
  consume(key: string, points: number): Promise<Pick<RateLimiterRes, 'consumedPoints' | 'msBeforeNext'>>;
}

/** The rest of a rate, for the header of the answer. */
export interface RateState {
  allowed: boolean;
  limit: number;
  remaining: number;
  resetSeconds: number;
}

interface Seen {
  /** By all processes, when this one last asked. */
  used: number;
  /** By this one since then. */
  pending: number;
  endsAt: number;
  askedAt: number;
  asking: Promise<void> | null;
}

/** Far from its limit, a process asks the others no more often. */
const ASK_EVERY_MS = 500;
/** From this share of a limit on, every request is counted together before it is answered. */
const NEAR_LIMIT = 0.5;
const KEYS_AT_MOST = 20_000;

/**
 * Requests of a minute, counted over all processes. Far from the limit a request waits for nothing: what a process has seen is added to what all
 * have every half a second. Near it each request is counted together first, so that the limit holds for all processes as for one.
 */
export class SharedRate {
  readonly #counter: SharedCounter;
  readonly #windowMs: number;
  readonly #nowMs: () => number;
  readonly #onFailure: (error: unknown) => void;
  readonly #seen = new LRUCache<string, Seen>({ max: KEYS_AT_MOST });

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
    const near = seen.used + seen.pending > limit * NEAR_LIMIT;
    if (near || this.#nowMs() - seen.askedAt >= ASK_EVERY_MS) {
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

  /** Those who ask at the same time are counted with one question. */
  #ask(key: string, seen: Seen): Promise<void> {
    seen.asking ??= this.#count(key, seen).finally(() => {
      seen.asking = null;
    });
    return seen.asking;
  }

  async #count(key: string, seen: Seen): Promise<void> {
    // Requests of this turn of the event loop are counted with it.
    await Promise.resolve();
    const points = seen.pending;
    seen.askedAt = this.#nowMs();
    try {
      const { consumedPoints, msBeforeNext } = await this.#counter.consume(key, points);
      seen.used = consumedPoints;
      seen.endsAt = this.#nowMs() + msBeforeNext;
    } catch (error) {
      // The process goes on counting what it sees itself; requests are served.
      this.#onFailure(error);
      seen.used += points;
    }
    seen.pending -= points;
  }
}
