import type { IngestionLease } from '@outdial/db';

/** The documents of all jobs that this worker is reading. */
export class InFlightJobs {
  /** Start times by the monotonic clock, the earliest first. */
  readonly #begunAtMs = new Map<IngestionLease, number>();

  begin(lease: IngestionLease, nowMs: number): void {
    this.#begunAtMs.set(lease, nowMs);
  }

  end(lease: IngestionLease): void {
    this.#begunAtMs.delete(lease);
  }

  /** How long the slowest document has taken so far; 0 for none. */
  longestMs(nowMs: number): number {
    for (const begunAtMs of this.#begunAtMs.values()) return nowMs - begunAtMs;
    return 0;
  }
}
