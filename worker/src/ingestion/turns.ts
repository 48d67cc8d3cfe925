import type { IngestionLease } from '@outdial/db';

/** No turn has begun or ended for so long: a file is being read that takes its time, or never ends. */
const STUCK_AFTER_MS = 1_000;

/**
 * The documents of one job take turns with what else is read. None of several waits behind a long one: those whose turn has not come
 * when things stand still are given up, so that whoever is free takes them. One that came alone waits.
 */
export class Turns {
  readonly #waiting: Map<IngestionLease, AbortController>;
  readonly #begun = new Map<IngestionLease, AbortController>();
  readonly #isAlone: boolean;
  #timer: NodeJS.Timeout | undefined;

  constructor(leases: readonly IngestionLease[]) {
    this.#waiting = new Map(leases.map((lease) => [lease, new AbortController()]));
    this.#isAlone = leases.length === 1;
    this.#watch();
  }

  /** Aborted with `HandedBackError`, or with what `giveUp` says. */
  signal(lease: IngestionLease): AbortSignal {
    const signal = this.#of(lease)?.signal;
    if (!signal) throw new Error(`document ${lease.documentId} has no turn any more`);
    return signal;
  }

  begin(lease: IngestionLease): void {
    const turn = this.#waiting.get(lease);
    if (!turn) return;
    this.#waiting.delete(lease);
    this.#begun.set(lease, turn);
    this.#watch();
  }

  giveUp(lease: IngestionLease, reason: Error): void {
    this.#of(lease)?.abort(reason);
  }

  end(lease: IngestionLease): void {
    this.#waiting.delete(lease);
    this.#begun.delete(lease);
    this.#watch();
  }

  #of(lease: IngestionLease): AbortController | undefined {
    return this.#waiting.get(lease) ?? this.#begun.get(lease);
  }

  #watch(): void {
    clearTimeout(this.#timer);
    if (this.#isAlone || this.#waiting.size === 0) return;
    this.#timer = setTimeout(() => {
      for (const turn of this.#waiting.values()) turn.abort(new HandedBackError());
    }, STUCK_AFTER_MS);
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
