import { performance } from 'node:perf_hooks';
import { rejectAfter } from '@outdial/core';
import type { QueueLog } from './ports.ts';

/** Comes after every other reason and adds no information. */
export const closedReason = 'connection closed';

/** Tracks whether a reconnecting client is connected. Turns the many errors of an outage into two log lines: lost and back. */
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

  /** Why the connection is down, or was last down. */
  get downReason(): string {
    return this.#reason;
  }

  lost(reason: string): void {
    // Keep the cause, which is more specific than the closed connection.
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
   * Resolves when the connection is up, and rejects once it has been down for `graceMs`. So callers wait for the end of a short outage, and
   * fail at once in a long one.
   */
  async whenUp(graceMs: number): Promise<void> {
    if (this.#downSinceMs === undefined) return;
    const remainingMs = graceMs - (performance.now() - this.#downSinceMs);
    const tooLate = () => new Error('not connected');
    if (remainingMs <= 0) throw tooLate();
    await rejectAfter(this.#up.promise, remainingMs, tooLate);
  }
}
