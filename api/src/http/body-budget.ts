import { RetryLaterError } from './errors.ts';

const askAgainSeconds = 2;

/**
 * The memory for large bodies in this process. Each organization has a share that fits one body of the largest size, so concurrent requests
 * cannot exceed the limit of a single one. The total is bounded as well. Small bodies do not count.
 */
export class BodyBudget {
  readonly #perOrganization: number;
  readonly #together: number;
  readonly #used = new Map<string, number>();
  #total = 0;

  constructor(limits: { perOrganization: number; together: number }) {
    this.#perOrganization = limits.perOrganization;
    this.#together = limits.together;
  }

  /** The share of one request. Call `release` after its answer. */
  share(organizationId: string): BodyShare {
    let taken = 0;
    return {
      take: (bytes) => {
        const used = this.#used.get(organizationId) ?? 0;
        if (used + bytes > this.#perOrganization) {
          throw new RetryLaterError(
            429,
            'too_many_large_requests',
            'The organization has too many large requests in progress',
            { retryAfterSeconds: askAgainSeconds },
          );
        }
        if (this.#total + bytes > this.#together) {
          throw new RetryLaterError(
            503,
            'too_many_large_requests',
            'The service has too many large requests in progress',
            { retryAfterSeconds: askAgainSeconds },
          );
        }
        this.#used.set(organizationId, used + bytes);
        this.#total += bytes;
        taken += bytes;
      },
      release: () => {
        const left = (this.#used.get(organizationId) ?? 0) - taken;
        if (left > 0) this.#used.set(organizationId, left);
        else this.#used.delete(organizationId);
        this.#total -= taken;
        taken = 0;
      },
    };
  }
}

export interface BodyShare {
  /** @throws RetryLaterError if the organization, or all organizations together, would exceed their share */
  take(bytes: number): void;
  release(): void;
}
