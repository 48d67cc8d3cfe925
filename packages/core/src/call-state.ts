import { type Outcome, outcomes, type PublicCallStatus, statusOfOutcome } from './outcome.ts';

/** How far a call has come. Finer than the public status, which `publicCallStatus` derives from it. */
export const callPhases = ['queued', 'placing', 'ringing', 'answered', 'ended'] as const;

export type CallPhase = (typeof callPhases)[number];

/**
 * Phases may be skipped, because events arrive in any order and some are never sent, but a call never goes back. A queued call is not yet
 * with a provider, so it can only end (withdrawn, no line in time).
 */
export const callMoves: Readonly<Record<CallPhase, readonly CallPhase[]>> = {
  queued: ['placing', 'ended'],
  placing: ['ringing', 'answered', 'ended'],
  ringing: ['answered', 'ended'],
  answered: ['ended'],
  ended: [],
};

export interface CallState {
  phase: CallPhase;
  /** Null until the call has ended. */
  outcome: Outcome | null;
  /** Whether a late event has already corrected an `unknown`. */
  corrected: boolean;
}

export interface CallProgress {
  kind: 'ringing' | 'answered' | 'ended';
  /** Only for an end; without it, the outcome is `unknown`. */
  outcome?: Outcome | undefined;
}

export type CallMove =
  | { kind: 'apply'; phase: CallPhase; outcome?: Outcome }
  | { kind: 'correct'; outcome: Outcome }
  | {
      kind: 'ignore';
      reason: 'repeated' | 'out_of_order' | 'not_placed' | 'already_ended' | 'already_corrected';
    };

/**
 * Decides how an event changes a call. An ended call stays as it is, with one exception: a late final event may correct the outcome
 * `unknown`, once (docs/behaviour.md).
 */
export function decideCallMove(call: CallState, event: CallProgress): CallMove {
  if (call.phase === 'ended') return decideCorrection(call, event);
  if (!callMoves[call.phase].includes(event.kind)) {
    if (call.phase === 'queued') return { kind: 'ignore', reason: 'not_placed' };
    return { kind: 'ignore', reason: call.phase === event.kind ? 'repeated' : 'out_of_order' };
  }
  if (event.kind === 'ended') return { kind: 'apply', phase: 'ended', outcome: event.outcome ?? 'unknown' };
  return { kind: 'apply', phase: event.kind };
}

function decideCorrection(call: CallState, event: CallProgress): CallMove {
  if (event.kind !== 'ended') return { kind: 'ignore', reason: 'out_of_order' };
  if (call.corrected) return { kind: 'ignore', reason: 'already_corrected' };
  if (call.outcome !== 'unknown') return { kind: 'ignore', reason: 'already_ended' };
  if (event.outcome === undefined || event.outcome === 'unknown') {
    return { kind: 'ignore', reason: 'repeated' };
  }
  return { kind: 'correct', outcome: event.outcome };
}

/** How a call is connected. */
export const callKinds = ['web', 'phone_outbound', 'phone_inbound'] as const;

export type CallKind = (typeof callKinds)[number];

/** The status that the API shows (docs/behaviour.md). */
export function publicCallStatus(phase: CallPhase, outcome: Outcome | null): PublicCallStatus {
  if (phase === 'ended') return statusOfOutcome[outcome ?? 'unknown'];
  return phase === 'answered' ? 'start' : 'init';
}

/** The calls with a public status: those in one of these phases, and those that ended with one of these outcomes. */
export function callsOfStatus(status: PublicCallStatus): { phases: CallPhase[]; outcomes: Outcome[] } {
  return {
    phases: callPhases.filter((phase) => phase !== 'ended' && publicCallStatus(phase, null) === status),
    outcomes: outcomes.filter((outcome) => statusOfOutcome[outcome] === status),
  };
}
