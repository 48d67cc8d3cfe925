import { FifoQueue } from '@outdial/core';
import type { ClaimedDocuments } from '@outdial/db';

/**
 * Limits the documents that a worker has claimed but not read, so that the rest is left to other workers. While a file takes long, the worker
 * only claims more if one of its readers is idle.
 */
export class AdmissionControl {
  readonly #readers: number;
  readonly #unreadAtMost: number;
  #unread = 0;
  #isStuck = false;
  readonly #line = new FifoQueue();
  #isClaiming = false;

  /** @param readers how many files are read concurrently */
  constructor({ readers, unreadAtMost }: { readers: number; unreadAtMost: number }) {
    this.#readers = readers;
    this.#unreadAtMost = unreadAtMost;
  }

  /** Claims documents as soon as the limit allows. Claims run one at a time. */
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

  /** A document was read or abandoned. `returned`: it waited too long for a reader. */
  leave({ returned }: { returned: boolean }): void {
    this.#unread--;
    this.#isStuck = returned;
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
