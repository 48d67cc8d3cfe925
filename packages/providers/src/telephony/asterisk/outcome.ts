import type { Outcome } from '@outdial/core';

/** The facts about an ended call. docs/asterisk.md shows the same table as this file. */
export interface CallEnding {
  /** The phone rang, or the network played ringing (180 or 183). */
  rang: boolean;
  answered: boolean;
  /** Asterisk's hangup cause, numbered as in Q.850 (table 1); 0 if there is none. */
  cause: number;
  /** The final SIP response, or null if the carrier sent none. */
  sipStatus: number | null;
  /** Answering machine detection has found a machine. */
  machine: boolean;
  /** The engine hung up. */
  canceled: boolean;
  /** The call was answered, but could not be connected to the agent's voice runtime. */
  handoffFailed: boolean;
}

/** SIP statuses that are more precise than the cause that Asterisk maps them to. RFC 3261, section 21, and the RFCs below. */
const bySipStatus: ReadonlyMap<number, Outcome> = new Map([
  [404, 'invalid_number'],
  [410, 'invalid_number'],
  [484, 'invalid_number'],
  [604, 'invalid_number'],
  [486, 'busy'],
  [600, 'busy'],
  [603, 'rejected'],
  // The carrier refuses us, not the person: wrong credentials, no credit, or a caller id that is not ours. Asterisk reports cause 21, as for 603.
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

/** Causes that mean "no answer" if the phone rang. Without ringing, it is not certain that a person was called at all. */
const unanswered: ReadonlySet<number> = new Set([0, 16, 18, 19]);

/**
 * How an attempt ended. Asterisk's dial status is not used, because it is NOANSWER for 404 and 603 too. A dead trunk ends with cause 19 ("no answer")
 * without ringing, which is the carrier's failure.
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
