import type { IngestionLease } from '@outdial/db';
import type { InFlightJobs } from './in-flight-jobs.ts';

/** A file that is read for so long takes its time, or never ends. The extractor reads short ones beside it, but for those it has handed out. */
export const STUCK_AFTER_MS = 3_000;

/**
 * The documents of one job take turns with what else is read. None of several waits behind a long one: where nothing of the job has moved
 * for a while and a file takes long, those that could be read and whose turn has not come are handed back, so that a free
 * worker takes them. One that came alone waits, and so does one whose bytes are not here yet: no other worker would have it sooner.
 */
export class FairnessWatchdog {
  readonly #controllers: Map<IngestionLease, AbortController>;
  /** Their bytes are here, and the extractor has not begun with them. */
  readonly #waiting = new Set<IngestionLease>();
  readonly #inFlight: InFlightJobs;
  readonly #isAlone: boolean;
  #timer: NodeJS.Timeout | undefined;

  constructor(leases: readonly IngestionLease[], inFlight: InFlightJobs) {
    this.#controllers = new Map(leases.map((lease) => [lease, new AbortController()]));
    this.#inFlight = inFlight;
    this.#isAlone = leases.length === 1;
  }

  /** Aborted with `HandedBackError`, or with what `giveUp` says. */
  signal(lease: IngestionLease): AbortSignal {
    const signal = this.#controllers.get(lease)?.signal;
    if (!signal) throw new Error(`document ${lease.documentId} has no turn any more`);
    return signal;
  }

  /** It can be read as soon as it is its turn. */
  arrived(lease: IngestionLease): void {
    this.#waiting.add(lease);
    // It moves nothing: those that wait already wait on.
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
    // A process that starts, say, is no file that takes long.
    if (leftMs > 0) {
      this.#watch(Math.ceil(leftMs));
      return;
    }
    this.#timer = undefined;
    for (const lease of this.#waiting) this.#controllers.get(lease)?.abort(new HandedBackError());
  }
}

/** Its turn did not come in time. */
export class HandedBackError extends Error {
  readonly code = 'handed_back';

  constructor() {
    super('a document was handed back, since another one takes long');
    this.name = 'HandedBackError';
  }
}
