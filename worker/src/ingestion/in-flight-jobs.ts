import type { IngestionLease } from '@outdial/db';

/** The documents of all jobs that a worker's extractor is reading. */
export class InFlightJobs {
  /** When each began, by the monotonic clock. The longest-running comes first. */
  readonly #begunAtMs = new Map<IngestionLease, number>();

  begin(lease: IngestionLease, nowMs: number): void {
    this.#begunAtMs.set(lease, nowMs);
  }

  end(lease: IngestionLease): void {
    this.#begunAtMs.delete(lease);
  }

  /** How long the longest-running has been read; zero if there is none. */
  longestMs(nowMs: number): number {
    for (const begunAtMs of this.#begunAtMs.values()) return nowMs - begunAtMs;
    return 0;
  }
}
