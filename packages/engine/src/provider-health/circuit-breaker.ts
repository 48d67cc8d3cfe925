/**
 * The circuit breaker of a provider. Its state is in the provider's row, which all workers share.
 *
 * Closed: calls pass, and consecutive failures are counted. Open: no call passes until `closedUntil`. Half open, after that: one call passes
 * as a probe. Its result closes the circuit, or opens it for twice as long.
 */
export interface Circuit {
  now: Date;
  /** Also set when a provider asks to wait. */
  closedUntil: Date | null;
  failuresInARow: number;
}

export const failuresToOpen = 5;
export const firstPauseMs = 1_000;
export const longestPauseMs = 30_000;
/** How long other calls wait for the result of a probe. Longer than any send, after which another probe may replace a lost one. */
export const probeMs = 10_000;

/** Whether the circuit is open or half open. */
export function isBroken(circuit: Pick<Circuit, 'failuresInARow'>): boolean {
  return circuit.failuresInARow >= failuresToOpen;
}

export type Admission =
  | { kind: 'send' }
  | { kind: 'probe'; closedUntil: Date }
  | { kind: 'wait'; until: Date };

export function admit(circuit: Circuit): Admission {
  const { now, closedUntil } = circuit;
  if (closedUntil !== null && closedUntil > now) return { kind: 'wait', until: closedUntil };
  if (isBroken(circuit)) return { kind: 'probe', closedUntil: new Date(now.getTime() + probeMs) };
  return { kind: 'send' };
}

export type CircuitChange =
  | { kind: 'none' }
  | { kind: 'count'; failuresInARow: number }
  | { kind: 'open'; failuresInARow: number; until: Date }
  | { kind: 'close' };

/** While the circuit is open, only the probe counts. Other failures are of earlier sends, and would count one outage many times. */
export function afterFailure(circuit: Circuit, wasProbe: boolean): CircuitChange {
  if (isBroken(circuit) && !wasProbe) return { kind: 'none' };
  const failuresInARow = circuit.failuresInARow + 1;
  if (!isBroken({ failuresInARow })) return { kind: 'count', failuresInARow };
  const doublings = Math.min(failuresInARow - failuresToOpen, 20);
  const pauseMs = Math.min(firstPauseMs * 2 ** doublings, longestPauseMs);
  return { kind: 'open', failuresInARow, until: new Date(circuit.now.getTime() + pauseMs) };
}

/** Any answer shows that the provider is up, even a refusal. But a late answer does not close a circuit that has opened since. */
export function afterAnswer(circuit: Circuit, wasProbe: boolean): CircuitChange {
  if (circuit.failuresInARow === 0) return { kind: 'none' };
  if (!isBroken(circuit)) return { kind: 'count', failuresInARow: 0 };
  return wasProbe ? { kind: 'close' } : { kind: 'none' };
}
