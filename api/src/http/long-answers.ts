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
 * Answers that are long, and taken at the speed of their callers: each holds memory until it has been sent, so they are few, in each organization
 * and together. While a list is fetched it needs a connection; those who fetch take turns, one of an organization at a time.
 */
export class LongAnswers {
  readonly #open = { read: new Counter(), change: new Counter() };
  readonly #fetching = new Counter();
  readonly #waiting: Array<{ organizationId: string; begin: () => void }> = [];

  /** Runs what answers. @throws RetryLaterError where there are too many already, before anything was done. */
  async within<Value>(
    { organizationId, purpose }: { organizationId: string; purpose: Purpose },
    answer: () => Promise<Value>,
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
      return await answer();
    } finally {
      open.add(organizationId, -1);
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

/** Counts by organization; those with nothing take no memory. */
class Counter {
  readonly #counts = new Map<string, number>();
  total = 0;

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
