import type { IngestionLease } from '@outdial/db';
import type { InFlightJobs } from './in-flight-jobs.ts';

/** A file that is read for this long is slow, or never ends. The extractor reads short files beside it, except those it has already handed out. */
export const STUCK_AFTER_MS = 3_000;

/**
 * Lets the documents of one job share the reader fairly, so that none of several waits behind a long one. If the job makes no progress
 * for a while and a file takes long, documents that are ready but whose turn has not come are returned to the queue, so that a free
 * worker takes them. A job's only document waits, and so does one whose bytes have not arrived: no other worker would have it sooner.
 */
export class FairnessWatchdog {
  readonly #controllers: Map<IngestionLease, AbortController>;
  /** Documents whose bytes have arrived, but which the extractor has not begun. */
  readonly #waiting = new Set<IngestionLease>();
  readonly #inFlight: InFlightJobs;
  readonly #isAlone: boolean;
  #timer: NodeJS.Timeout | undefined;

  constructor(leases: readonly IngestionLease[], inFlight: InFlightJobs) {
    this.#controllers = new Map(leases.map((lease) => [lease, new AbortController()]));
    this.#inFlight = inFlight;
    this.#isAlone = leases.length === 1;
  }

  /** Aborted with `HandedBackError`, or with the reason from `giveUp`. */
  signal(lease: IngestionLease): AbortSignal {
    const signal = this.#controllers.get(lease)?.signal;
    if (!signal) throw new Error(`document ${lease.documentId} has no turn any more`);
    return signal;
  }

  /** The document can be read as soon as its turn comes. */
  arrived(lease: IngestionLease): void {
    this.#waiting.add(lease);
    // This is no progress: documents that already wait keep waiting.
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

  #watch(inMs = STUCK_AFTER_MS): void {
    clearTimeout(this.#timer);
    this.#timer =
      this.#isAlone || this.#waiting.size === 0 ? undefined : setTimeout(() => this.#look(), inMs);
  }

  #look(): void {
    const leftMs = STUCK_AFTER_MS - this.#inFlight.longestMs(performance.now());
    // For example, a starting process is not a file that takes long.
    if (leftMs > 0) {
      this.#watch(Math.ceil(leftMs));
      return;
    }
    this.#timer = undefined;
    for (const lease of this.#waiting) this.#controllers.get(lease)?.abort(new HandedBackError());
  }
}

/** The turn of the document did not come in time. */
export class HandedBackError extends Error {
  readonly code = 'handed_back';

  constructor() {
    super('a document was handed back, since another one takes long');
    this.name = 'HandedBackError';
  }
}
