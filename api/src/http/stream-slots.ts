import { RetryLaterError } from './errors.ts';

/** Each asks the database every second. */
const perCredential = 10;
const together = 100;
const retryAfterSeconds = 10;

/** Streams that are open: few for each credential, and bounded in this process. */
export class StreamSlots {
  readonly #open = new Map<string, number>();
  #total = 0;

  /** Takes a slot until the function that it gives is called. @throws RetryLaterError where there is none */
  take(credential: string): () => void {
    const open = this.#open.get(credential) ?? 0;
    if (open >= perCredential) {
      throw new RetryLaterError(
        429,
        'too_many_streams',
        `This credential has ${perCredential} streams open, and may have no more`,
        { retryAfterSeconds },
      );
    }
    if (this.#total >= together) {
      throw new RetryLaterError(503, 'too_many_streams', 'There are too many streams open', {
        retryAfterSeconds,
      });
    }
    this.#open.set(credential, open + 1);
    this.#total++;
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#total--;
      const left = (this.#open.get(credential) ?? 1) - 1;
      if (left > 0) this.#open.set(credential, left);
      else this.#open.delete(credential);
    };
  }
}
