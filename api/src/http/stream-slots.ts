import { RetryLaterError } from './errors.ts';

/** Each stream queries the database every second. */
const perCredential = 10;
/** An organization can create any number of credentials, which must not take all streams. */
const perOrganization = 25;
const together = 100;
const retryAfterSeconds = 10;

export class StreamSlots {
  readonly #open = new Map<string, number>();
  #total = 0;

  /** Takes a slot. Call the returned function to release it. @throws RetryLaterError without a free slot */
  take({ credential, organizationId }: { credential: string; organizationId: string }): () => void {
    const holders = [
      { key: `credential ${credential}`, who: 'This credential', atMost: perCredential },
      { key: `organization ${organizationId}`, who: 'This organization', atMost: perOrganization },
    ];
    for (const { key, who, atMost } of holders) {
      if (this.#count(key) < atMost) continue;
      throw new RetryLaterError(
        429,
        'too_many_streams',
        `${who} has ${atMost} streams open, which is the maximum`,
        { retryAfterSeconds },
      );
    }
    if (this.#total >= together) {
      throw new RetryLaterError(503, 'too_many_streams', 'The service has too many open streams', {
        retryAfterSeconds,
      });
    }
    for (const { key } of holders) this.#open.set(key, this.#count(key) + 1);
    this.#total++;
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#total--;
      for (const { key } of holders) {
        const left = this.#count(key) - 1;
        if (left > 0) this.#open.set(key, left);
        else this.#open.delete(key);
      }
    };
  }

  #count(key: string): number {
    return this.#open.get(key) ?? 0;
  }
}
