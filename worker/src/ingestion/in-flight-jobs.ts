import type { IngestionLease } from '@outdial/db';

/** The documents that a worker's extractor has begun to read and is not through with, of all jobs. */
export class InFlightJobs {
  /** When each has begun, by the monotonic clock. The longest comes first. */
  readonly #begunAtMs = new Map<IngestionLease, number>();

  begin(lease: IngestionLease, nowMs: number): void {
    this.#begunAtMs.set(lease, nowMs);
  }

  end(lease: IngestionLease): void {
    this.#begunAtMs.delete(lease);
  }

  /** For how long the longest is being read; zero where there is none. */
  longestMs(nowMs: number): number {
    for (const begunAtMs of this.#begunAtMs.values()) return nowMs - begunAtMs;
    return 0;
  }
}
