import { performance } from 'node:perf_hooks';
import { withDeadline } from './deadline.ts';
import type { QueueLog } from './ports.ts';

/** Follows every other reason, and adds nothing to it. */
export const closedReason = 'connection closed';

/**
 * Knows whether a connection that mends itself is up. Turns the many errors of a lost one into two log lines: one when
 * it is lost, one when it is back.
 */
export class ConnectionWatch {
  readonly #log: QueueLog;
  readonly #backend: string;
  #downSinceMs: number | undefined = performance.now();
  #reported = false;
  #reason = 'not connected yet';
  #silent = false;
  #up = Promise.withResolvers<void>();

  constructor(log: QueueLog, backend: string) {
    this.#log = log;
    this.#backend = backend;
  }

  /** Why there is, or last was, no connection. */
  get downReason(): string {
    return this.#reason;
  }

  lost(reason: string): void {
    // The cause of a closed connection says more than that it is closed.
    if (reason !== closedReason || this.#downSinceMs === undefined) this.#reason = reason;
    if (this.#downSinceMs === undefined) {
      this.#downSinceMs = performance.now();
      this.#up = Promise.withResolvers<void>();
    }
    if (!this.#reported && !this.#silent) {
      this.#reported = true;
      this.#log.warn({ queue_backend: this.#backend, reason }, 'queue backend lost, reconnecting');
    }
  }

  back(): void {
    if (this.#downSinceMs !== undefined) {
      this.#downSinceMs = undefined;
      this.#up.resolve();
    }
    if (this.#reported) {
      this.#reported = false;
      this.#log.info({ queue_backend: this.#backend }, 'queue backend is back');
    }
  }

  /** Called when the connection is closed on purpose. */
  silence(): void {
    this.#silent = true;
  }

  /**
   * Resolves when the connection is up. Rejects once it has been down for `graceMs`, at once if it already has: a short
   * interruption is waited out, and a long one costs its callers nothing.
   */
  async whenUp(graceMs: number): Promise<void> {
    if (this.#downSinceMs === undefined) return;
    const remainingMs = graceMs - (performance.now() - this.#downSinceMs);
    const tooLate = () => new Error('not connected');
    if (remainingMs <= 0) throw tooLate();
    await withDeadline(this.#up.promise, remainingMs, tooLate);
  }
}
