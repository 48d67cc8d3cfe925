import { FifoQueue } from '@outdial/core';

/** So many may be inside at a time; further ones wait in order. */
export class Semaphore {
  readonly #line = new FifoQueue();
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Whether a caller waits for a place. */
  get isWanted(): boolean {
    return !this.#line.isEmpty;
  }

  /** Resolves inside; rejects with the signal's reason when that is aborted first. */
  async enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#line.wait(signal);
  }

  /** Hands the place to the one that waits longest. */
  leave(): void {
    if (!this.#line.letIn()) this.#free++;
  }
}
