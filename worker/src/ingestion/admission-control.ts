import { FifoQueue } from '@outdial/core';
import type { ClaimedDocuments } from '@outdial/db';

/**
 * Tracks the documents that a worker has claimed but not read. It claims more only when it is nearly done with those, and leaves the
 * rest to other workers. While a file takes long, it claims more only if another of its readers is idle.
 */
export class AdmissionControl {
  readonly #readers: number;
  readonly #unreadAtMost: number;
  #unread = 0;
  #isStuck = false;
  readonly #line = new FifoQueue();
  #isClaiming = false;

  /** `readers`: the number of files that are read concurrently. */
  constructor({ readers, unreadAtMost }: { readers: number; unreadAtMost: number }) {
    this.#readers = readers;
    this.#unreadAtMost = unreadAtMost;
  }

  /** Claims documents when there is room for them, one claim after the other. */
  async claim(signal: AbortSignal, claim: () => Promise<ClaimedDocuments>): Promise<ClaimedDocuments> {
    await this.#enter(signal);
    try {
      const claimed = await claim();
      this.#unread += claimed.leases.length;
      return claimed;
    } finally {
      this.#isClaiming = false;
      this.#letIn();
    }
  }

  /** A document has been read, or abandoned. `handedBack`: because its turn did not come. */
  leave({ handedBack }: { handedBack: boolean }): void {
    this.#unread--;
    this.#isStuck = handedBack;
    this.#letIn();
  }

  get #isOpen(): boolean {
    if (this.#isClaiming) return false;
    return this.#unread < this.#readers || (!this.#isStuck && this.#unread <= this.#unreadAtMost);
  }

  async #enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#isOpen && this.#line.isEmpty) this.#isClaiming = true;
    else await this.#line.wait(signal);
  }

  #letIn(): void {
    if (this.#isOpen && this.#line.letIn()) this.#isClaiming = true;
  }
}
