/** A queue between a producer and one reader that waits for the next item. */
export class AsyncBuffer<T> {
  readonly #items: T[] = [];
  #end: { error: Error | null } | null = null;
  #changed = Promise.withResolvers<void>();

  push(item: T): void {
    this.#items.push(item);
    this.#wake();
  }

  /** @param error is thrown to the reader after the last item */
  end(error: Error | null = null): void {
    this.#end ??= { error };
    this.#wake();
  }

  get isEnded(): boolean {
    return this.#end !== null;
  }

  async *read(signal: AbortSignal): AsyncGenerator<T, void, void> {
    const wake = () => this.#wake();
    signal.addEventListener('abort', wake, { once: true });
    try {
      while (!signal.aborted) {
        const item = this.#items.shift();
        if (item !== undefined) yield item;
        else if (this.#end === null) await this.#changed.promise;
        else if (this.#end.error !== null) throw this.#end.error;
        else return;
      }
    } finally {
      signal.removeEventListener('abort', wake);
    }
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
