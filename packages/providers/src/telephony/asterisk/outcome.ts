import type { Outcome } from '@outdial/core';

/** The facts about an ended call. docs/asterisk.md has the same table as this file. */
export interface CallEnding {
  /** The phone rang, or the network played ringing (180 or 183). */
  rang: boolean;
  answered: boolean;
  /** Asterisk's hangup cause, as Q.850 numbers them (table 1); 0 where there is none. */
  cause: number;
  /** The final SIP response, where the carrier gave one. */
  sipStatus: number | null;
  /** Answering machine detection has found a machine. */
  machine: boolean;
  /** The engine hung it up. */
  canceled: boolean;
  /** It was answered, and could not be handed to the agent's voice runtime. */
  handoffFailed: boolean;
}

/** SIP says more here than the cause that Asterisk makes of it, where it makes one at all. RFC 3261, section 21, and those named. */
const bySipStatus: ReadonlyMap<number, Outcome> = new Map([
  [404, 'invalid_number'],
  [410, 'invalid_number'],
  [484, 'invalid_number'],
  [604, 'invalid_number'],
  [486, 'busy'],
  [600, 'busy'],
  [603, 'rejected'],
  // The carrier refuses us, not the person: credentials, credit, a caller id that is not ours. Asterisk says 21 here, as for 603.
  [401, 'failed'],
  [402, 'failed'],
  [403, 'failed'],
  [407, 'failed'],
  // Unwanted (RFC 8197), rejected by a call screener (RFC 8688), no anonymous calls (RFC 5079).
  [607, 'rejected'],
  [608, 'rejected'],
  [433, 'rejected'],
]);

const byCause: ReadonlyMap<number, Outcome> = new Map([
  [1, 'invalid_number'],
  [22, 'invalid_number'],
  [28, 'invalid_number'],
  [17, 'busy'],
  [21, 'rejected'],
  // Subscriber absent: a mobile that is off or out of reach never rings.
  [20, 'no_answer'],
]);

/** Causes that mean "no answer" if it rang; without ringing it is not certain that a person was called at all. */
const unanswered: ReadonlySet<number> = new Set([0, 16, 18, 19]);

/**
 * How an attempt ended. Never from Asterisk's dial status, which says NOANSWER for 404 and 603 as well; and a trunk that is dead ends
 * with cause 19, "no answer", without having rung: that is the carrier's failure.
 */
export function outcomeOf(ending: CallEnding): Outcome {
  if (ending.handoffFailed) return 'failed';
  if (ending.answered) return ending.machine ? 'voicemail' : 'completed';
  if (ending.canceled) return 'canceled';
  const known =
    (ending.sipStatus === null ? undefined : bySipStatus.get(ending.sipStatus)) ?? byCause.get(ending.cause);
  if (known) return known;
  return ending.rang && unanswered.has(ending.cause) ? 'no_answer' : 'failed';
}
