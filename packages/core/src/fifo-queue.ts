/** Admits waiters in order of arrival. */
export class FifoQueue {
  readonly #waiting: Array<() => void> = [];

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Resolves when the waiter is admitted. If the signal is aborted first, rejects with its reason and leaves the queue. */
  async wait(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const enter = () => {
        signal.removeEventListener('abort', abort);
        resolve();
      };
      const abort = () => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)));
      };
      signal.addEventListener('abort', abort, { once: true });
      this.#waiting.push(enter);
    });
  }

  /** Admits the longest waiter; false if there is none. */
  letIn(): boolean {
    const enter = this.#waiting.shift();
    enter?.();
    return enter !== undefined;
  }
}
