/** The model has heard it already: its answer waits no longer for words that are for the record. */
const writtenMs = 2_500;

type Writing = PromiseWithResolvers<string | null>;

/** What the person said, as the server writes it down: in the order in which it was committed, and then by its item. */
export class WordsOfPerson {
  readonly #committing: Writing[] = [];
  readonly #reading = new Map<string, Writing>();

  /** The words of what is committed next; null where they are not written down in time. */
  next(signal: AbortSignal): Promise<string | null> {
    const written = Promise.withResolvers<string | null>();
    written.promise.catch(() => undefined);
    this.#committing.push(written);
    const stop = () => written.resolve(null);
    const noWords = setTimeout(stop, writtenMs);
    signal.addEventListener('abort', stop, { once: true });
    return written.promise.finally(() => {
      clearTimeout(noWords);
      signal.removeEventListener('abort', stop);
    });
  }

  committed(itemId: string): void {
    const waiting = this.#committing.shift();
    if (waiting) this.#reading.set(itemId, waiting);
  }

  written(itemId: string, words: string | null): void {
    this.#reading.get(itemId)?.resolve(words);
    this.#reading.delete(itemId);
  }

  fail(error: Error): void {
    for (const one of [...this.#committing.splice(0), ...this.#reading.values()]) one.reject(error);
    this.#reading.clear();
  }
}
