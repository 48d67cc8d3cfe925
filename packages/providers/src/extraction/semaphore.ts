import { FifoQueue } from '@outdial/core';

/** Admits a fixed number of callers at a time. The others wait in order. */
export class Semaphore {
  readonly #line = new FifoQueue();
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Whether a caller is waiting. */
  get isWanted(): boolean {
    return !this.#line.isEmpty;
  }

  /** Resolves once the caller is admitted. Rejects with the signal's reason if it aborts first. */
  async enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#line.wait(signal);
  }

  /** Admits the caller that has waited longest. */
  leave(): void {
    if (!this.#line.letIn()) this.#free++;
  }
}
