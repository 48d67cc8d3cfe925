import { setTimeout as sleep } from 'node:timers/promises';
import type { Socket } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Logger } from '../logger.ts';

/** Counts start anew after this time. */
export const failuresWindowMs = 60_000;
/** At operators' pages. A person mistypes rarely; a program guesses often. */
export const operatorFailuresPerMinute = 10;
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
  // Grows as it fills: `max` would allocate all entries at once.
  readonly #byAddress = new LRUCache<string, { count: number }>({
    maxSize: addressesAtMost,
    sizeCalculation: () => 1,
    ttl: failuresWindowMs,
  });
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

  /** Await this before a refusal. `too_many` if too many requests already wait, so that this one should get a 429. */
  async slowDown({ socket }: { socket: Pick<Socket, 'remoteAddress'> }): Promise<'refuse' | 'too_many'> {
    const address = socket.remoteAddress ?? '';
    const failures = this.#note(address);
    if (failures <= this.#freePerMinute) return 'refuse';
    if (failures === this.#freePerMinute + 1) {
      this.#log.warn({ address, failures }, 'an address keeps sending invalid credentials');
    }
    if (this.#waiting >= waitingAtMost) return 'too_many';
    this.#waiting += 1;
    try {
      await this.#wait(delayMs);
    } finally {
      this.#waiting -= 1;
    }
    return 'refuse';
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
