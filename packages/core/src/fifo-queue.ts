/** Lets waiters in, first come, first served. */
export class FifoQueue {
  readonly #waiting: Array<() => void> = [];

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Resolves when it is let in. Rejects with the signal's reason when that is aborted first, and has left the line then. */
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

  /** Lets in the one that waits longest; false where none waits. */
  letIn(): boolean {
    const enter = this.#waiting.shift();
    enter?.();
    return enter !== undefined;
  }
}
