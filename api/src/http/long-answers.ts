import { setTimeout as delay } from 'node:timers/promises';
import { Turns } from '@outdial/core';
import { RetryLaterError } from './errors.ts';

/** The kind of request. A change without a free slot is refused before it changes anything. */
type Purpose = 'read' | 'change';

interface Limits {
  readonly perOrganization: number;
  readonly together: number;
  /** Beyond `together`, for organizations that have none: few organizations could hold all of it. */
  readonly forOthers: number;
}

const limits: Record<Purpose, Limits> = {
  read: { perOrganization: 4, together: 12, forOthers: 6 },
  change: { perOrganization: 8, together: 16, forOthers: 8 },
};

/** How many of the pool's connections long lists may use at the same time. */
const fetchesTogether = 3;
/** The longest pause of exports after a fetch. */
const longestRestMs = 2_000;
const askAgainSeconds = 5;
/**
 * The characters that all long answers send per second, shared equally by the organizations that have one. A million numbers take a little
 * over a second. Without this pace, one caller that reads continuously would use half of the processor (`npm run attack`).
 */
const charactersPerSecond = 16 * 1024 * 1024;

interface Clock {
  /** In milliseconds. */
  now: () => number;
  /** Ends early if the signal aborts. */
  wait: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** Waits until the organization may send this many more characters, or the caller has disconnected. */
export type Pace = (characters: number, gone: AbortSignal) => Promise<void>;

/**
 * Limits long answers. Each uses memory until its caller has read it, so there are only a few per organization and in total. While a list
 * is fetched it uses a connection, so organizations take turns, with one fetch each.
 */
export class LongAnswers {
  readonly #clock: Clock;
  readonly #open = { read: new Counter(), change: new Counter() };
  /** One at a time, because each keeps the processor and Postgres busy. */
  readonly #exports = new Turns({ atOnce: 1 });
  readonly #fetches = new Turns({ atOnce: fetchesTogether, perOrganization: 1 });
  /** When each organization's pace allows it to send again, in the clock's milliseconds. */
  readonly #paidAt = new Map<string, number>();

  constructor(clock: Clock = { now: () => performance.now(), wait: waitUnlessGone }) {
    this.#clock = clock;
  }

  /** Runs `answer` in a slot. @throws RetryLaterError, before anything is done, if there are too many */
  async within<Value>(
    { organizationId, purpose }: { organizationId: string; purpose: Purpose },
    answer: (pace: Pace) => Promise<Value>,
  ): Promise<Value> {
    const open = this.#open[purpose];
    const own = open.of(organizationId);
    const { perOrganization, together, forOthers } = limits[purpose];
    if (own >= perOrganization) {
      throw tooMany(429, 'The organization has too many long responses in progress');
    }
    if (open.total >= (own === 0 ? together + forOthers : together)) {
      throw tooMany(503, 'The service has too many long responses in progress');
    }
    open.add(organizationId, 1);
    try {
      return await answer((characters, gone) => this.#pace(organizationId, characters, gone));
    } finally {
      open.add(organizationId, -1);
      this.#forgetPaid();
    }
  }

  async #pace(organizationId: string, characters: number, gone: AbortSignal): Promise<void> {
    const perMs = charactersPerSecond / 1_000 / Math.max(this.#open.read.size + this.#open.change.size, 1);
    const now = this.#clock.now();
    const fromMs = Math.max(this.#paidAt.get(organizationId) ?? 0, now);
    this.#paidAt.set(organizationId, fromMs + characters / perMs);
    if (fromMs > now) await this.#clock.wait(fromMs - now, gone);
  }

  /** Keeps organizations whose pace still makes them wait, so that reconnecting does not help them. */
  #forgetPaid(): void {
    const now = this.#clock.now();
    for (const [organizationId, paidAtMs] of this.#paidAt) {
      if (paidAtMs <= now) this.#paidAt.delete(organizationId);
    }
  }

  /** Fetches a list when it is the organization's turn. */
  inTurn<Value>(organizationId: string, fetch: () => Promise<Value>): Promise<Value> {
    return this.#fetches.run(organizationId, fetch);
  }

  /**
   * Fetches a part of an export in the organization's turn, which then rests for as long as this took. So all exports together use half of a
   * processor at most, and fewer where the machine is busy.
   */
  async fetchAndRest<Value>(
    organizationId: string,
    gone: AbortSignal,
    fetch: () => Promise<Value>,
  ): Promise<Value> {
    const end = await this.#exports.take(organizationId, { signal: gone });
    const begunAt = this.#clock.now();
    try {
      return await fetch();
    } finally {
      const restMs = Math.min(this.#clock.now() - begunAt, longestRestMs);
      if (restMs > 0) void this.#clock.wait(restMs, gone).finally(end);
      else end();
    }
  }
}

async function waitUnlessGone(ms: number, gone: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal: gone }).catch((error: unknown) => {
    if (!gone.aborted) throw error;
  });
}

/** Counts by organization. Those at zero use no memory. */
class Counter {
  readonly #counts = new Map<string, number>();
  total = 0;

  get size(): number {
    return this.#counts.size;
  }

  of(organizationId: string): number {
    return this.#counts.get(organizationId) ?? 0;
  }

  add(organizationId: string, change: 1 | -1): void {
    const count = this.of(organizationId) + change;
    if (count === 0) this.#counts.delete(organizationId);
    else this.#counts.set(organizationId, count);
    this.total += change;
  }
}

function tooMany(status: 429 | 503, message: string): RetryLaterError {
  return new RetryLaterError(status, 'too_many_long_answers', message, {
    retryAfterSeconds: askAgainSeconds,
  });
}
