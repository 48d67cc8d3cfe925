import type { IngestionLease } from '@outdial/db';
import type { InFlightJobs } from './in-flight-jobs.ts';

/** A file that takes longer to read is slow, or never ends. */
export const stuckAfterMs = 3_000;

/**
 * Keeps the documents of a job from waiting behind a slow file. If the job makes no progress for a while because a file is slow, its waiting
 * documents are returned to the queue for other workers. Exceptions are a job's only document, and documents whose bytes have not arrived: no
 * other worker would be faster.
 */
export class FairnessWatchdog {
  readonly #controllers: Map<IngestionLease, AbortController>;
  /** Documents whose bytes have arrived, but which are not being read yet. */
  readonly #waiting = new Set<IngestionLease>();
  readonly #inFlight: InFlightJobs;
  readonly #isAlone: boolean;
  #timer: NodeJS.Timeout | undefined;

  constructor(leases: readonly IngestionLease[], inFlight: InFlightJobs) {
    this.#controllers = new Map(leases.map((lease) => [lease, new AbortController()]));
    this.#inFlight = inFlight;
    this.#isAlone = leases.length === 1;
  }

  /** Aborted with `ReturnedError`, or with the reason from `giveUp`. */
  signal(lease: IngestionLease): AbortSignal {
    const signal = this.#controllers.get(lease)?.signal;
    if (!signal) throw new Error(`document ${lease.documentId} has already ended`);
    return signal;
  }

  /** All bytes of the document have arrived. */
  arrived(lease: IngestionLease): void {
    this.#waiting.add(lease);
    // An arrival does not count as progress, so it does not restart the timer.
    if (this.#timer === undefined) this.#watch();
  }

  begin(lease: IngestionLease): void {
    if (!this.#controllers.has(lease)) return;
    this.#waiting.delete(lease);
    this.#inFlight.begin(lease, performance.now());
    this.#watch();
  }

  giveUp(lease: IngestionLease, reason: Error): void {
    this.#controllers.get(lease)?.abort(reason);
  }

  end(lease: IngestionLease): void {
    this.#controllers.delete(lease);
    this.#waiting.delete(lease);
    this.#inFlight.end(lease);
    this.#watch();
  }

  #watch(inMs = stuckAfterMs): void {
    clearTimeout(this.#timer);
    this.#timer =
      this.#isAlone || this.#waiting.size === 0 ? undefined : setTimeout(() => this.#look(), inMs);
  }

  #look(): void {
    const leftMs = stuckAfterMs - this.#inFlight.longestMs(performance.now());
    // No file is slow yet: a reader may still be starting, for example.
    if (leftMs > 0) {
      this.#watch(Math.ceil(leftMs));
      return;
    }
    this.#timer = undefined;
    for (const lease of this.#waiting) this.#controllers.get(lease)?.abort(new ReturnedError());
  }
}

/** The document waited too long and goes back to the queue. */
export class ReturnedError extends Error {
  readonly code = 'returned';

  constructor() {
    super('a document was returned to the queue because another one takes long');
    this.name = 'ReturnedError';
  }
}
