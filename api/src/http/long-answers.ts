import { setTimeout as delay } from 'node:timers/promises';
import { RetryLaterError } from './errors.ts';

/** The kind of request: a change is refused before it is made, and rarely. */
type Purpose = 'read' | 'change';

interface Limits {
  readonly perOrganization: number;
  readonly together: number;
}

const limits: Record<Purpose, Limits> = {
  read: { perOrganization: 4, together: 12 },
  change: { perOrganization: 8, together: 16 },
};

/** Of the pool's connections, those that may be busy with long lists at the same time. */
const FETCHES_TOGETHER = 3;
const RETRY_AFTER_SECONDS = 5;
/**
 * What long answers send together in a second, each organization that has one an equal part: a million numbers in a little over a second. Without a
 * pace, one caller who reads without end takes half of the processor from everybody (`npm run attack`).
 */
const CHARACTERS_PER_SECOND = 16 * 1024 * 1024;

interface Clock {
  /** In milliseconds. */
  now: () => number;
  /** Ends early if the signal aborts. */
  wait: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

/** Waits until the organization may send so many characters more, or until the caller has gone. */
export type Pace = (characters: number, gone: AbortSignal) => Promise<void>;

/**
 * Answers that are long, and taken at the speed of their callers: each holds memory until it has been sent, so they are few, in each organization
 * and together. While a list is fetched it needs a connection; those who fetch take turns, one of an organization at a time.
 */
export class LongAnswers {
  readonly #clock: Clock;
  readonly #open = { read: new Counter(), change: new Counter() };
  readonly #fetching = new Counter();
  /** When what each organization has sent is paid for, in the clock's milliseconds. */
  readonly #paidAt = new Map<string, number>();
  readonly #waiting: Array<{ organizationId: string; begin: () => void }> = [];

  constructor(clock: Clock = { now: () => performance.now(), wait: waitUnlessGone }) {
    this.#clock = clock;
  }

  /** Runs what answers. @throws RetryLaterError where there are too many already, before anything was done. */
  async within<Value>(
    { organizationId, purpose }: { organizationId: string; purpose: Purpose },
    answer: (pace: Pace) => Promise<Value>,
  ): Promise<Value> {
    const open = this.#open[purpose];
    if (open.of(organizationId) >= limits[purpose].perOrganization) {
      throw tooMany(429, 'The organization has other long answers in progress');
    }
    if (open.total >= limits[purpose].together) {
      throw tooMany(503, 'There are too many long answers in progress');
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
    const perMs = CHARACTERS_PER_SECOND / 1_000 / Math.max(this.#open.read.size + this.#open.change.size, 1);
    const now = this.#clock.now();
    const fromMs = Math.max(this.#paidAt.get(organizationId) ?? 0, now);
    this.#paidAt.set(organizationId, fromMs + characters / perMs);
    if (fromMs > now) await this.#clock.wait(fromMs - now, gone);
  }

  /** Keeps those that still owe: an organization that leaves and comes back goes on where it was. */
  #forgetPaid(): void {
    const now = this.#clock.now();
    for (const [organizationId, paidAtMs] of this.#paidAt) {
      if (paidAtMs <= now) this.#paidAt.delete(organizationId);
    }
  }

  /** Runs what fetches a list, when it is this organization's turn. */
  async inTurn<Value>(organizationId: string, fetch: () => Promise<Value>): Promise<Value> {
    await new Promise<void>((begin) => {
      this.#waiting.push({ organizationId, begin });
      this.#beginNext();
    });
    try {
      return await fetch();
    } finally {
      this.#fetching.add(organizationId, -1);
      this.#beginNext();
    }
  }

  #beginNext(): void {
    if (this.#fetching.total >= FETCHES_TOGETHER) return;
    const at = this.#waiting.findIndex(({ organizationId }) => this.#fetching.of(organizationId) === 0);
    const [next] = at === -1 ? [] : this.#waiting.splice(at, 1);
    if (next === undefined) return;
    this.#fetching.add(next.organizationId, 1);
    next.begin();
    this.#beginNext();
  }
}

async function waitUnlessGone(ms: number, gone: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal: gone }).catch((error: unknown) => {
    if (!gone.aborted) throw error;
  });
}

/** Counts by organization; those with nothing take no memory. */
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
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
