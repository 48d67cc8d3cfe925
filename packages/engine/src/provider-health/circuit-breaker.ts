import type { UnknownCode } from '@outdial/db';

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
  /** Null if the last answer was no fault of the account, and its meaning was known. Absent where it was not read. */
  unknownCode?: UnknownCode | null;
}

export const failuresToOpen = 5;
/** If so many different people get the same unknown code in a row, it is taken as the account's. */
export const peopleToOpen = 5;
export const firstPauseMs = 1_000;
export const longestPauseMs = 30_000;
/** If only one person got a fault of the account for this long, and in this many probes, nobody else is left to tell whose it is. */
export const aloneMs = 2 * 60 * 60_000;
export const probesAlone = 10;
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
  | { kind: 'count'; failuresInARow: number; unknownCode?: UnknownCode }
  | { kind: 'open'; failuresInARow: number; until: Date; unknownCode?: UnknownCode }
  | { kind: 'close' };

/** While the circuit is open, only the probe counts. Other failures are of earlier sends, and would count one outage many times. */
export function afterFailure(circuit: Circuit, wasProbe: boolean): CircuitChange {
  if (isBroken(circuit) && !wasProbe) return { kind: 'none' };
  const failuresInARow = circuit.failuresInARow + 1;
  return isBroken({ failuresInARow }) ? open(circuit, failuresInARow) : { kind: 'count', failuresInARow };
}

/** The answer concerns every call, so the first one opens the circuit. */
export function afterMisconfiguration(
  circuit: Circuit,
  { code, person, wasProbe, isLate }: { code: string; person: string; wasProbe: boolean; isLate?: boolean },
): CircuitChange {
  const before = circuit.unknownCode?.since !== undefined && isBroken(circuit) ? circuit.unknownCode : null;
  const people = [...new Set([...(before?.people ?? []), person])].slice(0, peopleToOpen);
  const since = before?.since ?? circuit.now.toISOString();
  const unknownCode = { code, people, since, ...((isLate || before?.isLate) && { isLate: true }) };
  if (!isBroken(circuit) || wasProbe) {
    return { ...open(circuit, Math.max(failuresToOpen, circuit.failuresInARow + 1)), unknownCode };
  }
  return { kind: 'none' };
}

/** Whether a fault of the account kept the circuit open for so long, for this person only, that it may be the number's. */
export function isAlone({ now, failuresInARow, unknownCode }: Circuit, person: string): boolean {
  if (unknownCode?.since === undefined || failuresInARow < failuresToOpen + probesAlone) return false;
  const { people, since } = unknownCode;
  return people.every((one) => one === person) && now.getTime() - Date.parse(since) >= aloneMs;
}

/**
 * Any answer shows that the provider is up, even a refusal. But a late answer does not close a circuit that has opened since.
 * @param isAcceptance the call may still end with a fault of the account
 */
export function afterAnswer(circuit: Circuit, wasProbe: boolean, isAcceptance = false): CircuitChange {
  if (circuit.failuresInARow === 0 || (isAcceptance && circuit.unknownCode?.isLate)) return { kind: 'none' };
  if (!isBroken(circuit)) return { kind: 'count', failuresInARow: 0 };
  return wasProbe ? { kind: 'close' } : { kind: 'none' };
}

/**
 * Judges an answer whose code is unknown. It is an answer like any other, until several people have got the same one in a row.
 * `isOfAccount`: the call is not to blame.
 */
export function afterUnknownCode(
  circuit: Circuit,
  { code, person, wasProbe, isLate }: { code: string; person: string; wasProbe: boolean; isLate?: boolean },
): { isOfAccount: boolean; change: CircuitChange } {
  const before = circuit.unknownCode?.code === code ? circuit.unknownCode.people : [];
  const people = before.includes(person) ? before : [...before, person];
  const isEnough = people.length >= peopleToOpen;
  const unknownCode = { code, people: people.slice(0, peopleToOpen), ...(isLate && { isLate }) };
  if (isBroken(circuit) && !wasProbe) return { isOfAccount: isEnough, change: { kind: 'none' } };
  if (isEnough) {
    const failuresInARow = Math.max(failuresToOpen, circuit.failuresInARow + 1);
    return { isOfAccount: true, change: { ...open(circuit, failuresInARow), unknownCode } };
  }
  if (isBroken(circuit)) return { isOfAccount: false, change: { kind: 'close' } };
  // Not zero, so that the gates tell the next calls, and their answers end the row.
  return { isOfAccount: false, change: { kind: 'count', failuresInARow: 1, unknownCode } };
}

function open(circuit: Circuit, failuresInARow: number): CircuitChange & { kind: 'open' } {
  const doublings = Math.min(failuresInARow - failuresToOpen, 20);
  const pauseMs = Math.min(firstPauseMs * 2 ** doublings, longestPauseMs);
  const until = new Date(circuit.now.getTime() + pauseMs);
  const asked = askedUntil(circuit);
  return { kind: 'open', failuresInARow, until: asked !== null && asked > until ? asked : until };
}

/** Until when the provider asked to wait, which no result of a call shortens. While a probe is in progress, a pause no longer than its own is its own. */
export function askedUntil(circuit: Circuit): Date | null {
  const { now, closedUntil } = circuit;
  const ownUntil = now.getTime() + (isBroken(circuit) ? probeMs : 0);
  return closedUntil !== null && closedUntil.getTime() > ownUntil ? closedUntil : null;
}
