import { Turns } from '@outdial/core';
import { callerScope, ConnectionsBusyError, type CallerScope } from './caller.ts';

/** Connections that callers leave to the service itself, for example to check credentials. */
const leftToTheService = 2;
/** As long as the pool lets a statement wait. */
const waitMs = 10_000;
const waitingAtMost = 200;

/**
 * Who may take a connection of the pool next. Organizations take turns, and each has at most half of the connections, so that no number of slow
 * statements of one delays those of the others. Statements of no organization take a connection at once.
 */
export class ConnectionTurns {
  readonly #turns: Turns;

  constructor(connections: number) {
    this.#turns = new Turns({
      atOnce: Math.max(1, connections - leftToTheService),
      perOrganization: Math.max(1, Math.floor(connections / 2)),
    });
  }

  /** How many statements wait for a turn. */
  get waiting(): number {
    return this.#turns.waiting;
  }

  /**
   * Resolves with the caller, and the function that ends its turn.
   * @throws ConnectionsBusyError · the reason of the caller's signal
   */
  async take(): Promise<{ caller: CallerScope | null; end: () => void }> {
    const caller = callerScope() ?? null;
    caller?.signal?.throwIfAborted();
    if (caller === null || caller.organizationId === null) return { caller, end: () => undefined };
    // A caller that holds a connection, and so maybe locks, does not wait for others who may wait for it.
    const { organizationId, held, signal } = caller;
    const end =
      held.connections > 0
        ? () => undefined
        : (this.#turns.takeNow(organizationId) ?? (await this.#wait(organizationId, signal)));
    held.connections += 1;
    return {
      caller,
      end() {
        held.connections -= 1;
        end();
      },
    };
  }

  async #wait(organizationId: string, signal: AbortSignal | null): Promise<() => void> {
    if (this.#turns.waitingOf(organizationId) >= waitingAtMost) throw new ConnectionsBusyError();
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new ConnectionsBusyError()), waitMs);
    const signals = signal === null ? late.signal : AbortSignal.any([signal, late.signal]);
    try {
      return await this.#turns.take(organizationId, { signal: signals });
    } finally {
      clearTimeout(timer);
    }
  }
}
