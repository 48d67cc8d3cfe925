/** The model has already heard the person, so its answer does not wait long for words that only the record needs. */
const longestWaitMs = 2_500;

type Transcription = PromiseWithResolvers<string | null>;

/** The server's transcripts of the person. Commits are matched to item ids by their order, and transcripts by item id. */
export class Transcriptions {
  readonly #committing: Transcription[] = [];
  readonly #transcribing = new Map<string, Transcription>();

  /** The words of the next commit. Null if they do not come in time. */
  next(signal: AbortSignal): Promise<string | null> {
    const transcription = Promise.withResolvers<string | null>();
    transcription.promise.catch(() => undefined);
    this.#committing.push(transcription);
    const giveUp = () => transcription.resolve(null);
    const late = setTimeout(giveUp, longestWaitMs);
    signal.addEventListener('abort', giveUp, { once: true });
    return transcription.promise.finally(() => {
      clearTimeout(late);
      signal.removeEventListener('abort', giveUp);
    });
  }

  committed(itemId: string): void {
    const transcription = this.#committing.shift();
    if (transcription) this.#transcribing.set(itemId, transcription);
  }

  /** @param words null if the transcription failed */
  transcribed(itemId: string, words: string | null): void {
    this.#transcribing.get(itemId)?.resolve(words);
    this.#transcribing.delete(itemId);
  }

  fail(error: Error): void {
    for (const one of [...this.#committing.splice(0), ...this.#transcribing.values()]) one.reject(error);
    this.#transcribing.clear();
  }
}
