/** The model has already heard the person, so its answer does not wait long for words that only the record needs. */
const longestWaitMs = 2_500;
/** How much longer words are waited for once the person has left. */
const afterLeavingMs = 4_500;

interface Transcription {
  take: (words: string | null) => void;
  fail: (error: Error) => void;
}

/** The server's transcripts of the person. Commits are matched to item ids by their order, and transcripts by item id. */
export class Transcriptions {
  readonly #committing: Transcription[] = [];
  readonly #transcribing = new Map<string, Transcription>();
  /** The person has left, and nobody waits for an answer. */
  isPatient = false;

  /**
   * The words of the next commit. Null if they do not come in time.
   * @param late takes words that come after that
   */
  next(signal: AbortSignal, late?: (words: string) => void): Promise<string | null> {
    const { promise, resolve, reject } = Promise.withResolvers<string | null>();
    promise.catch(() => undefined);
    let isLate = false;
    this.#committing.push({
      take(words) {
        if (isLate && words !== null && !signal.aborted) late?.(words);
        resolve(words);
      },
      fail: reject,
    });
    const giveUp = () => {
      isLate = true;
      resolve(null);
    };
    let timer = setTimeout(() => {
      if (this.isPatient) timer = setTimeout(giveUp, afterLeavingMs);
      else giveUp();
    }, longestWaitMs);
    signal.addEventListener('abort', giveUp, { once: true });
    return promise.finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
    });
  }

  committed(itemId: string): void {
    const transcription = this.#committing.shift();
    if (transcription) this.#transcribing.set(itemId, transcription);
  }

  /** @param words null if the transcription failed */
  transcribed(itemId: string, words: string | null): void {
    this.#transcribing.get(itemId)?.take(words);
    this.#transcribing.delete(itemId);
  }

  fail(error: Error): void {
    for (const one of [...this.#committing.splice(0), ...this.#transcribing.values()]) one.fail(error);
    this.#transcribing.clear();
  }
}
