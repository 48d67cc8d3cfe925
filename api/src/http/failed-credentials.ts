import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@outdial/runtime';
import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import { RetryLaterError } from './errors.ts';

const windowMs = 60_000;
const delayMs = 1_000;
const addressesAtMost = 10_000;
const waitingAtMost = 100;

/**
 * Slows down guessing. After a number of refused credentials in a minute, further refusals to the same address are delayed by a second,
 * which is logged once. Valid credentials from that address are not delayed.
 */
export class FailedCredentials {
  readonly #freePerMinute: number;
  readonly #wait: (ms: number) => Promise<unknown>;
  readonly #log: Pick<Logger, 'warn'>;
  readonly #byAddress = new LRUCache<string, { count: number }>({ max: addressesAtMost, ttl: windowMs });
  #waiting = 0;

  constructor(options: {
    freePerMinute: number;
    log: Pick<Logger, 'warn'>;
    wait?: (ms: number) => Promise<unknown>;
  }) {
    this.#freePerMinute = options.freePerMinute;
    this.#log = options.log;
    this.#wait = options.wait ?? sleep;
  }

  /** Await this before a refusal. @throws RetryLaterError (429) if too many requests already wait */
  async slowDown(req: Request): Promise<void> {
    const address = req.socket.remoteAddress ?? '';
    const failures = this.#note(address);
    if (failures <= this.#freePerMinute) return;
    if (failures === this.#freePerMinute + 1) {
      this.#log.warn({ address, failures }, 'an address keeps sending invalid credentials');
    }
    if (this.#waiting >= waitingAtMost) {
      throw new RetryLaterError(
        429,
        'too_many_failures',
        'Too many requests with invalid credentials came from this address',
        {
          retryAfterSeconds: windowMs / 1_000,
        },
      );
    }
    this.#waiting += 1;
    try {
      await this.#wait(delayMs);
    } finally {
      this.#waiting -= 1;
    }
  }

  #note(address: string): number {
    const known = this.#byAddress.get(address);
    if (known === undefined) {
      this.#byAddress.set(address, { count: 1 });
      return 1;
    }
    known.count += 1;
    return known.count;
  }
}
